package dev.durable.internal.run;

import dev.durable.internal.attempt.AttemptOutcome;
import dev.durable.internal.attempt.LocalCalls;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The mail of one run's actor: any thread posts, local activities among them, and the actor reads on the thread of its
 * {@link RunActorLoop}, which is woken once until the mailbox is opened.
 */
final class RunMailbox implements LocalCalls.Caller {
    private final RunActor actor;
    private final RunActorLoop turns;
    private final ConcurrentLinkedQueue<RunMail> mail = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean queued = new AtomicBoolean();

    RunMailbox(RunActor actor, RunActorLoop turns) {
        this.actor = actor;
        this.turns = turns;
    }

    /** Adds mail; never blocks. */
    void post(RunMail one) {
        mail.add(one);
        queue();
    }

    /**
     * Adds the outcome of a draft; that of a large one is read before the mail of other runs, as its memory can be
     * released then.
     */
    void postWritten(RunMail.Written written) {
        if (DraftWriter.isLarge(written)) {
            mail.add(written);
            turns.readyFirst(actor);
        } else {
            post(written);
        }
    }

    /** Opens the mailbox: mail that comes from now on queues the actor again. */
    void open() {
        queued.set(false);
    }

    @Nullable
    RunMail next() {
        return mail.poll();
    }

    boolean isEmpty() {
        return mail.isEmpty();
    }

    /** Queues the actor again after reading broke off, unless no mail is left. */
    void queueUnlessEmpty() {
        if (!mail.isEmpty()) {
            queue();
        }
    }

    /** Queues the actor, unless it is queued. */
    void queue() {
        if (queued.compareAndSet(false, true)) {
            turns.ready(actor);
        }
    }

    @Override
    public void ended(AttemptOutcome outcome) {
        post(new RunMail.Ended(outcome));
    }

    @Override
    public void givenBack() {
        post(new RunMail.LocalGivenBack());
    }

    @Override
    public void refused(String why) {
        post(new RunMail.LocalRefused(why));
    }
}
