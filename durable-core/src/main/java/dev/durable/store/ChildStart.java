package dev.durable.store;

import dev.durable.ChildOptions;
import dev.durable.ConflictPolicy;
import dev.durable.RetryPolicy;
import dev.durable.history.ChildOptionsJson;
import dev.durable.history.EventJson;
import dev.durable.history.OptionsJson;
import dev.durable.history.ParentRun;
import dev.durable.history.Payload;
import dev.durable.history.RunAttempt;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.json.JsonObjectReader;
import dev.durable.internal.json.JsonObjectWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The start of a child, which an outbox keeps until it is delivered, as JSON: the payload of a {@link
 * dev.durable.history.MessageKind#CHILD_START}. It says durations, from which the delivery makes times by the store's
 * clock. The names of its properties never change, as another release may read them.
 *
 * @param runId the id of the child's first run, which is the id of its chain
 * @param type its workflow type
 * @param taskQueue its task queue
 * @param input the arguments of its run method, a JSON array
 * @param options its other options, with the headers of the parent among its own
 * @param parent its parent
 * @param retry its retry policy; null for one attempt
 */
public record ChildStart(
        UUID runId,
        String type,
        String taskQueue,
        Payload input,
        ChildOptions options,
        ParentRun parent,
        @Nullable RetryPolicy retry) {

    /** Returns the start as JSON text. */
    public String json() {
        return JsonObjectWriter.object(out -> out.uuid("runId", runId)
                .string("workflowType", type)
                .string("taskQueue", taskQueue)
                .json("input", input, Payload::json)
                .json("options", ChildOptionsJson.encode(options))
                .object("parent", parent, ParentRun::write)
                .object("retry", retry, OptionsJson::write));
    }

    /** Reads a start from the text of {@link #json}. */
    public static ChildStart read(String json) {
        JsonObjectReader in = JsonObjectReader.of(json);
        String retry = in.jsonOrNull("retry");
        return new ChildStart(
                in.uuid("runId"),
                in.string("workflowType"),
                in.string("taskQueue"),
                new Payload(in.json("input")),
                ChildOptionsJson.decode(in.json("options")),
                ParentRun.read(JsonObjectReader.of(in.json("parent"))),
                retry == null ? null : OptionsJson.readRetry(JsonObjectReader.of(retry)));
    }

    /** Returns the columns of the child's row that name its parent. */
    public NewRun.Parent parentColumns() {
        return new NewRun.Parent(
                parent.workflowId(), parent.chain(), parent.number(), options.parentClosePolicy(), parent.rootChain());
    }

    /**
     * Returns the run to insert. It is started only where its parent's chain is open, or its parent-close policy is
     * ABANDON; a run that is open under its workflow id refuses it.
     *
     * @param workflowId the child's workflow id
     * @param now the time of the store, to the microsecond
     * @param fence random
     */
    public NewRun newRun(String workflowId, Instant now, UUID fence) {
        Duration delay = options.startDelay();
        Duration expiresIn = options.expiresIn();
        Duration execution = options.executionTimeout();
        Instant timesOutAt = deadline(now.plus(delay));
        WorkflowStarted started = new WorkflowStarted(
                1,
                now,
                workflowId,
                runId,
                type,
                taskQueue,
                input,
                0,
                timesOutAt,
                options.headers(),
                false,
                delay.isZero() ? null : delay,
                "workflow " + parent.workflowId(),
                options.runTimeout(),
                execution == null ? null : now.plus(delay).plus(execution),
                null,
                parent,
                retry == null ? null : new RunAttempt(1, retry, null));
        return new NewRun(
                new RunKey(runId, workflowId),
                type,
                taskQueue,
                fence,
                NewRun.FirstTurn.later(List.of(EventJson.encode(started)), delay),
                new NewRun.Policies(options.reusePolicy(), ConflictPolicy.FAIL, List.of()),
                new NewRun.Deadlines(timesOutAt, expiresIn == null ? null : now.plus(expiresIn)),
                null,
                new NewRun.Listed(options.memo(), null, parentColumns()));
    }

    private @Nullable Instant deadline(Instant from) {
        Duration run = options.runTimeout();
        Duration execution = options.executionTimeout();
        if (run == null || (execution != null && execution.compareTo(run) < 0)) {
            run = execution;
        }
        return run == null ? null : from.plus(run);
    }

    @Override
    public String toString() {
        return "ChildStart[" + runId + ", " + type + ", " + taskQueue + "]";
    }
}
