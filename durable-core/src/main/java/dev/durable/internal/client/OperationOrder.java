package dev.durable.internal.client;

import dev.durable.client.OperationProgress;
import dev.durable.internal.json.JsonObjectWriter;
import dev.durable.store.RunFilter;
import org.jspecify.annotations.Nullable;

/**
 * What an operation on many runs is to do: the argument of its job.
 *
 * @param verb what it does
 * @param actor the name of the operator
 * @param reason why
 * @param rate how many runs it may ask per second; null is no limit
 * @param filter its runs, oldest first: open ones, or failed ones for a retry from failure, that were started before the
 *     operation
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

    /** The name of the end of an operation in the audit. */
    static final String END = "end operation";

    /** The name of an operator's stop of an operation in the audit. */
    static final String STOP = "stop operation";

    /** The verbs. */
    public enum Verb {
        CANCEL("cancel"),
        TERMINATE("terminate"),
        SIGNAL("signal"),
        PAUSE("pause"),
        RESUME("resume"),
        RETRY("retry"),
        MOVE("move"),
        RETRY_FROM_FAILURE("retry from failure");

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

    /** Returns how many runs are asked between two checkpoints; each retry from failure is a transaction of its own. */
    int page() {
        return verb == Verb.RETRY_FROM_FAILURE ? 20 : 500;
    }

    /** Returns the name of the action in the audit. */
    String action() {
        return verb.shown() + " runs";
    }

    /** Returns what the audit says of the operation before it begins: a JSON object, without the arguments of a signal. */
    String details() {
        return JsonObjectWriter.object(out -> out.string("reason", reason)
                .string("signal", signal)
                .string("build", build)
                .number("rate", rate)
                .object(
                        "runs",
                        runs -> runs.strings(
                                        "types",
                                        filter.types().stream().sorted().toList())
                                .string("activity", filter.activity())
                                .string("workflowId", filter.workflowId())
                                .string("workflowIdPrefix", filter.workflowIdPrefix())
                                .instant("startedAfter", filter.startedAfter())
                                .instant("startedBefore", filter.startedBefore())
                                .string("taskQueue", filter.taskQueue())
                                .flag("stalled", filter.stalled())
                                .object(
                                        "stalledLike",
                                        filter.stallCause(),
                                        (cause, alike) -> alike.string("cause", cause.cause())
                                                .string("line", cause.line()))
                                .string("batch", filter.batch())
                                .json("parent", filter.parent(), id -> JsonObjectWriter.quote(id.toString()))
                                .json("root", filter.root(), id -> JsonObjectWriter.quote(id.toString()))));
    }

    /** Returns the progress of an operation that has not begun. */
    OperationProgress begins() {
        return new OperationProgress(verb.shown(), actor, reason, 0, 0, null);
    }
}
