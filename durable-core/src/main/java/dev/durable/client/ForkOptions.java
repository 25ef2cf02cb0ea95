package dev.durable.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a fork takes the place of a run, see {@link WorkflowHandle#fork(long, ForkOptions)} and {@link
 * WorkflowHandle#retryFromFailure(ForkOptions)}. Immutable: each setter gives a changed copy. {@code
 * ForkOptions.defaults().reason("the address was wrong").signal("deliverTo", address)}.
 *
 * @param reason why, as the history and the audit show it; null says nothing
 * @param messagesAgain whether the fork is given the signals and updates that the run has handled behind the event
 * @param signal a signal that the fork is given; null is none
 * @param isEvenIfUndone whether a failed run is retried although its code has called something behind its failure
 */
public record ForkOptions(
        @Nullable String reason,
        boolean messagesAgain,
        @Nullable Signal signal,
        boolean isEvenIfUndone) {
    private static final ForkOptions DEFAULTS = new ForkOptions(null, false, null, false);

    /**
     * A signal that goes with a fork.
     *
     * @param name its name
     * @param arguments the arguments of its handler
     */
    public record Signal(String name, List<@Nullable Object> arguments) {
        public Signal {
            Objects.requireNonNull(name, "name");
            arguments = Collections.unmodifiableList(new ArrayList<>(arguments));
        }

        @Override
        public String toString() {
            return "Signal[" + name + "]";
        }
    }

    /** Returns options without a reason and a signal, by which only updates are given again whose callers wait. */
    public static ForkOptions defaults() {
        return DEFAULTS;
    }

    /** With a reason, of the length that reasons of other operations may have. */
    public ForkOptions reason(String value) {
        return new ForkOptions(value, messagesAgain, signal, isEvenIfUndone);
    }

    /**
     * Gives the fork the signals and updates that the run has handled behind the event, in the order in which they were
     * accepted and before those that wait. Updates that an open run has accepted and not answered are given to the fork in
     * any case, as their callers wait. Requests to cancel are never among them. The answer of an update that the run
     * has answered stays what it was, and the fork's is told to no caller.
     */
    public ForkOptions withMessagesAgain() {
        return new ForkOptions(reason, true, signal, isEvenIfUndone);
    }

    /**
     * Gives the fork a signal, in the commit that makes the fork and behind the messages that wait: no worker sees the fork
     * without it. {@link #toString} shows its name only.
     *
     * @param arguments the arguments of its handler
     */
    public ForkOptions signal(String name, @Nullable Object... arguments) {
        return new ForkOptions(reason, messagesAgain, new Signal(name, Arrays.asList(arguments)), isEvenIfUndone);
    }

    /**
     * Retries also a run whose code has called activities or started children behind its failure, as compensations and
     * clean-up do. The fork does not know of these: what they have undone counts as done. Forks at an event ignore it.
     */
    public ForkOptions evenIfUndone() {
        return new ForkOptions(reason, messagesAgain, signal, true);
    }
}
