package dev.durable.internal.replay.call;

import dev.durable.DurableException;
import dev.durable.PayloadException;
import dev.durable.PromiseFailedException;
import dev.durable.UsageException;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.coroutine.Dispatcher;
import dev.durable.internal.replay.coroutine.DurablePromise;
import dev.durable.internal.replay.match.StalledException;
import dev.durable.internal.text.Thrown;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides which exceptions that leave the code stall the run instead of ending it: usage errors, stored values that the
 * code has asked for as a type that they are not, and those that the
 * workflow or the engine lists in {@code stallOn}.
 *
 * <p>A stall writes nothing, so it is for turns that are made now. In a turn of the history such an exception was a
 * failure, or the code that made the turn did not throw it. The events that follow decide between the two: commands or
 * a close that only a failure explains confirm the failure; where there are none when the history ends, the run stalls
 * then.
 */
public final class StallRules {
    private static final int MAX_CAUSES = 20;

    private final Dispatcher dispatcher;
    private final CurrentTurn journal;
    private final WorkflowType type;
    private final Collection<Class<? extends Throwable>> byDefault;
    private @Nullable StalledException unconfirmed;
    private long givenBefore;

    StallRules(
            Dispatcher dispatcher,
            CurrentTurn journal,
            WorkflowType type,
            Collection<Class<? extends Throwable>> byDefault) {
        this.dispatcher = dispatcher;
        this.journal = journal;
        this.type = type;
        this.byDefault = byDefault;
    }

    /**
     * Judges an exception that left the code of a coroutine, before it becomes the run's outcome.
     *
     * @return whether the run stalls by it, so that it must not become the outcome
     */
    boolean insteadOfFailing(Coroutine by, Throwable thrown) {
        StalledException stall = stall(by, thrown);
        if (stall == null) {
            return false;
        }
        if (journal.isLive()) {
            dispatcher.die(stall);
            return true;
        }
        if (unconfirmed == null || journal.given() != givenBefore) {
            unconfirmed = stall; // the history confirms an earlier one, which a saga has survived

            givenBefore = journal.given();
        }
        return false;
    }

    /** Notes that the history has a closing event, which says itself how the run ended. */
    public void historyHasEnded() {
        unconfirmed = null;
    }

    /** Stalls the run at the end of the history, where a failure is not confirmed by it. */
    void check() {
        StalledException stall = unconfirmed;
        if (stall != null && journal.given() == givenBefore) {
            dispatcher.die(stall);
            throw stall;
        }
    }

    /**
     * Returns the exception that the code threw before it diverged from the history; null where it threw none that
     * stalls.
     */
    @Nullable
    public StalledException unconfirmed() {
        return unconfirmed;
    }

    // ── the rule ────────────────────────────────────────────────────────────────────────────────────────────────────

    private @Nullable StalledException stall(Coroutine by, Throwable thrown) {
        UsageException usage = usageIn(thrown);
        if (usage != null) {
            return dispatcher.threads().usage(by, thrown, usage);
        }
        PayloadException unread = unreadIn(thrown);
        if (unread != null) {
            return dispatcher.threads().usage(by, thrown, unread);
        }
        Collection<Class<? extends Throwable>> own = type.stallOn();
        Collection<Class<? extends Throwable>> listed = own.isEmpty() ? byDefault : own;
        return listed.stream()
                .filter(one -> matches(one, thrown))
                .findFirst()
                .map(one -> dispatcher.threads().stallsOn(by, thrown, one, !own.isEmpty()))
                .orElse(null);
    }

    /**
     * Returns whether a listed type matches. As in catch clauses the narrower type counts; where both name one type,
     * the signature makes it an outcome.
     */
    private boolean matches(Class<? extends Throwable> listed, Throwable thrown) {
        return listed.isInstance(thrown)
                && (DurableException.class.isAssignableFrom(listed) || !isOutcome(thrown))
                && declared().noneMatch(named -> named.isInstance(thrown) && listed.isAssignableFrom(named));
    }

    private Stream<Class<? extends Throwable>> declared() {
        return Stream.of(Stream.of(type.methods().run()), type.signals(), type.updates())
                .flatMap(handlers -> handlers)
                .map(MethodSpec::named)
                .flatMap(List::stream);
    }

    /**
     * Returns whether the exception is the outcome of an operation, which is no error of this code; except that of a
     * value that can't be written.
     */
    private static boolean isOutcome(Throwable thrown) {
        return thrown instanceof DurableException && !(thrown instanceof PayloadException);
    }

    /**
     * Returns whether the exception comes of a misuse of the library, or of a stored value that the code has asked for as
     * another type: only other code can mend either.
     */
    static boolean isMisuse(Throwable thrown) {
        return usageIn(thrown) != null || unreadIn(thrown) != null;
    }

    /**
     * Returns the usage error in the exception: executors and async bodies wrap theirs. An exception of an activity was
     * not thrown by this code.
     */
    private static @Nullable UsageException usageIn(Throwable thrown) {
        return Thrown.of(thrown)
                .chain()
                .limit(MAX_CAUSES)
                .takeWhile(each -> !comesFromOutside(each))
                .filter(UsageException.class::isInstance)
                .map(UsageException.class::cast)
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the exception of a value of the history that the code has asked for as another type: it was stored as it
     * is, so only the code can be mended.
     */
    private static @Nullable PayloadException unreadIn(Throwable thrown) {
        return Thrown.of(thrown)
                .chain()
                .limit(MAX_CAUSES)
                .takeWhile(each -> each instanceof PayloadException || !comesFromOutside(each))
                .filter(each -> each instanceof PayloadException unread
                        && unread.isOfStored()
                        && DurablePromise.activityDetails(each).isEmpty())
                .map(PayloadException.class::cast)
                .findFirst()
                .orElse(null);
    }

    private static boolean comesFromOutside(Throwable thrown) {
        return thrown instanceof DurableException && !(thrown instanceof PromiseFailedException)
                || DurablePromise.activityDetails(thrown).isPresent();
    }
}
