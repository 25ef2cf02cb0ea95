package dev.durable.internal.client;

import dev.durable.client.OperationProgress;
import dev.durable.store.RunFilter;
import org.jspecify.annotations.Nullable;

/**
 * What an operation on many runs is to do: the argument of its job.
 *
 * @param verb what it does
 * @param actor the name of the operator
 * @param reason why
 * @param rate how many runs it may ask per second; null is no limit
 * @param filter its runs, oldest first: open ones that were started before the operation
 * @param signal the name of the signal; null for any other verb
 * @param input the arguments of the signal as JSON text; null for any other verb
 * @param build the build to which the runs are moved; null for any other verb
 */
public record OperationOrder(
        Verb verb,
        String actor,
        String reason,
        @Nullable Integer rate,
        RunFilter filter,
        @Nullable String signal,
        @Nullable String input,
        @Nullable String build) {

    /** The verbs. */
    public enum Verb {
        CANCEL("cancel"),
        TERMINATE("terminate"),
        SIGNAL("signal"),
        PAUSE("pause"),
        RESUME("resume"),
        RETRY("retry"),
        MOVE("move");

        private final String shown;

        Verb(String shown) {
            this.shown = shown;
        }

        /** Returns its name as operators see it. */
        public String shown() {
            return shown;
        }
    }

    @Override
    public String toString() {
        return "OperationOrder[" + verb + ", " + actor + ", " + reason + "]";
    }

    /** Returns the progress of an operation that has not begun. */
    OperationProgress begins() {
        return new OperationProgress(verb.shown(), actor, reason, 0, 0, null);
    }
}
