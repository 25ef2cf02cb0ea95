package dev.durable.history;

import dev.durable.internal.json.JsonObjectWriter;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the attributes of each event type as JSON: all but id, type, time and message id. The other direction is
 * {@link AttributesReader}.
 */
final class AttributesWriter {
    /** Marks events that may be ignored by those who don't know them. */
    static final String INFORMING = "informing";

    private AttributesWriter() {}

    static void write(HistoryEvent event, JsonObjectWriter out) {
        switch (event) {
            case HistoryEvent.Inbound inbound -> writeInbound(inbound, out);
            case HistoryEvent.Command command -> writeCommand(command, out);
            case HistoryEvent.Informing informing ->
                writeInforming(informing, out.flag(INFORMING, informing.mayBeIgnored()));
            case HistoryEvent.Closing closing -> writeClosing(closing, out);
        }
    }

    private static void writeInbound(HistoryEvent.Inbound event, JsonObjectWriter out) {
        switch (event) {
            case WorkflowStarted e -> writeStarted(e, out);
            case WorkflowCancelRequested e ->
                out.string("reason", e.reason()).string("by", e.by()).flag("withNext", e.withNext());
            case ActivityCompleted e ->
                out.number("seq", e.seq())
                        .number("attempt", e.attempt())
                        .json("result", e.result(), Payload::json)
                        .instant("startedAt", e.startedAt())
                        .string("worker", e.worker())
                        .object("local", e.local(), AttributesWriter::writeLocal);
            case ActivityFailed e ->
                out.number("seq", e.seq())
                        .number("attempt", e.attempt())
                        .object("failure", e.failure(), FailureJson::write)
                        .string("worker", e.worker())
                        .object("local", e.local(), AttributesWriter::writeLocal);
            case ActivityTimedOut e ->
                out.number("seq", e.seq())
                        .number("attempt", e.attempt())
                        .string("timeout", e.timeout().name())
                        .json("lastHeartbeatDetails", e.lastHeartbeatDetails(), Payload::json)
                        .object("lastFailure", e.lastFailure(), FailureJson::write)
                        .object("local", e.local(), AttributesWriter::writeLocal);
            case ActivityCancelled e ->
                out.number("seq", e.seq())
                        .number("attempt", e.attempt())
                        .json("lastHeartbeatDetails", e.lastHeartbeatDetails(), Payload::json)
                        .object("local", e.local(), AttributesWriter::writeLocal);
            case TimerFired e -> out.number("seq", e.seq());
            case SignalReceived e ->
                out.string("name", e.name())
                        .json("input", e.input(), Payload::json)
                        .flag("withNext", e.withNext())
                        .instant("acceptedAt", e.acceptedAt());
            case UpdateAccepted e ->
                out.string("updateId", e.updateId())
                        .string("name", e.name())
                        .json("input", e.input(), Payload::json)
                        .flag("withNext", e.withNext())
                        .instant("acceptedAt", e.acceptedAt());
            case HistoryEvent.OfChild e -> writeOfChild(e, out.number("number", e.number()));
            case HistoryEvent.OfCallback e -> writeOfCallback(e, out.uuid("callback", e.callback()));
        }
    }

    private static void writeOfChild(HistoryEvent.OfChild event, JsonObjectWriter out) {
        switch (event) {
            case ChildStarted ignored -> {}
            case ChildCompleted e -> out.json("result", e.result(), Payload::json);
            case ChildFailed e ->
                out.string("status", e.status().name()).object("failure", e.failure(), FailureJson::write);
            case ChildCancelled e -> out.object("failure", e.failure(), FailureJson::write);
            case ChildStartFailed e -> out.string("reason", e.reason());
        }
    }

    private static void writeOfCallback(HistoryEvent.OfCallback event, JsonObjectWriter out) {
        switch (event) {
            case CallbackCompleted e ->
                out.json("result", e.result(), Payload::json).flag("readable", e.readable());
            case CallbackFailed e ->
                out.object("failure", e.failure(), FailureJson::write).json("value", e.value(), Payload::json);
            case CallbackTimedOut ignored -> {}
            case CallbackExtended e -> out.duration("time", e.time());
        }
    }

    private static void writeLocal(LocalCall call, JsonObjectWriter out) {
        out.string("activity", call.activity()).json("input", call.input(), Payload::json);
    }

    private static void writeStarted(WorkflowStarted e, JsonObjectWriter out) {
        out.string("workflowId", e.workflowId())
                .uuid("runId", e.runId())
                .string("workflowType", e.workflowType())
                .string("taskQueue", e.taskQueue())
                .json("input", e.input(), Payload::json)
                .number("flags", e.flags())
                .instant("runDeadline", e.runDeadline())
                .map("headers", e.headers())
                .flag("firstTurnDone", e.firstTurnDone())
                .duration("startDelay", e.startDelay())
                .string("startedBy", e.startedBy())
                .duration("runTimeout", e.runTimeout())
                .instant("executionDeadline", e.executionDeadline())
                .object("parent", e.parent(), ParentRun::write)
                .object("attempt", e.attempt(), RunAttempt::write)
                .string(
                        "versioning",
                        e.versioning() == null ? null : e.versioning().name());
        writeChain(e.chain(), out);
    }

    private static void writeChain(@Nullable ChainLink chain, JsonObjectWriter out) {
        if (chain != null) {
            out.uuid("firstRunId", chain.firstRunId())
                    .uuid("previousRunId", chain.previousRunId())
                    .number("messagesSent", chain.messagesSent())
                    .number("childrenStarted", chain.childrenStarted())
                    .objects("children", chain.children(), CarriedChild::write);
        }
    }

    private static void writeCommand(HistoryEvent.Command event, JsonObjectWriter out) {
        switch (event) {
            case ActivityScheduled e ->
                out.number("seq", e.seq())
                        .string("activity", e.activity())
                        .string("taskQueue", e.taskQueue())
                        .json("input", e.input(), Payload::json)
                        .json("options", OptionsJson.encode(e.options()));
            case ActivityCancelRequested e -> out.number("seq", e.seq());
            case TimerStarted e ->
                out.number("seq", e.seq()).instant("fireAt", e.fireAt()).string("summary", e.summary());
            case TimerCancelled e -> out.number("seq", e.seq());
            case SideEffectRecorded e -> out.json("value", e.value(), Payload::json);
            case StreamAppended e -> out.string("stream", e.stream()).json("value", e.value(), Payload::json);
            case VersionRecorded e -> out.string("changeId", e.changeId()).number("version", e.version());
            case ExternalSignalRequested e ->
                out.number("number", e.number())
                        .string("workflowId", e.workflowId())
                        .string("signal", e.signal())
                        .json("input", e.input(), Payload::json);
            case ExternalCancelRequested e ->
                out.number("number", e.number())
                        .string("workflowId", e.workflowId())
                        .string("reason", e.reason());
            case UpdateCompleted e -> out.string("updateId", e.updateId()).json("result", e.result(), Payload::json);
            case UpdateFailed e ->
                out.string("updateId", e.updateId()).object("failure", e.failure(), FailureJson::write);
            case ChildStartRequested e ->
                out.number("number", e.number())
                        .number("message", e.message())
                        .string("workflowId", e.workflowId())
                        .uuid("runId", e.runId())
                        .string("workflowType", e.workflowType())
                        .string("taskQueue", e.taskQueue())
                        .json("input", e.input(), Payload::json)
                        .json("options", ChildOptionsJson.encode(e.options()))
                        .object("retry", e.retry(), OptionsJson::write);
            case ChildCancelRequested e ->
                out.number("number", e.number())
                        .number("message", e.message())
                        .string("reason", e.reason())
                        .flag("terminate", e.terminate());
            case ChildSignalRequested e ->
                out.number("number", e.number())
                        .number("message", e.message())
                        .string("signal", e.signal())
                        .json("input", e.input(), Payload::json);
            case ChildStartWatched e -> out.number("number", e.number()).number("message", e.message());
            case CallbackOpened e -> out.number("number", e.number()).uuid("callback", e.callback());
            case CallbackCancelled e -> out.number("number", e.number()).uuid("callback", e.callback());
        }
    }

    private static void writeInforming(HistoryEvent.Informing event, JsonObjectWriter out) {
        switch (event) {
            case ActivityAttemptFailed e -> writeAttemptFailed(e, out);
            case ActivityTimeoutUpdated e ->
                out.number("seq", e.seq())
                        .number("attempt", e.attempt())
                        .instant("oldDeadline", e.oldDeadline())
                        .instant("newDeadline", e.newDeadline())
                        .string("by", e.by());
            case IncidentRaised e -> writeIncident(e, out);
            case IncidentResolved e -> writeResolved(e, out);
            case FirstTurnStarted e -> out.flag("withNext", e.withNext());
            case WorkflowForked e -> {
                out.uuid("fromRunId", e.fromRunId())
                        .string("workflowId", e.workflowId())
                        .uuid("runId", e.runId())
                        .instant("runDeadline", e.runDeadline())
                        .instant("executionDeadline", e.executionDeadline())
                        .string("by", e.by())
                        .string("reason", e.reason());
                writeChain(e.chain(), out);
            }
            case WorkflowPaused e -> out.string("reason", e.reason()).string("by", e.by());
            case WorkflowResumed e -> out.string("by", e.by());
            case ActivityOptionsUpdated e ->
                out.number("seq", e.seq())
                        .number("attempt", e.attempt())
                        .json("oldOptions", OptionsJson.encode(e.oldOptions()))
                        .json("newOptions", OptionsJson.encode(e.newOptions()))
                        .string("by", e.by());
            case ActivityOperated e ->
                out.number("seq", e.seq())
                        .number("attempt", e.attempt())
                        .string("action", e.action())
                        .string("by", e.by())
                        .instant("nextAttemptAt", e.nextAttemptAt());
            case ActivityAbandoned e ->
                out.number("seq", e.seq())
                        .number("attempt", e.attempt())
                        .json("lastHeartbeatDetails", e.lastHeartbeatDetails(), Payload::json)
                        .json("outcome", e.outcome(), Payload::json);
            case UnknownEvent e -> throw new IllegalArgumentException(e.type() + " is kept as it was written");
        }
    }

    private static void writeIncident(IncidentRaised e, JsonObjectWriter out) {
        out.number("seq", e.seq())
                .number("attempt", e.attempt())
                .string("kind", e.kind())
                .string("reason", e.reason())
                .object("failure", e.failure(), FailureJson::write);
        out.number("crashes", e.crashes()).string("fingerprint", e.fingerprint());
    }

    private static void writeResolved(IncidentResolved e, JsonObjectWriter out) {
        out.number("seq", e.seq())
                .string("resolution", e.resolution())
                .string("by", e.by())
                .string("reason", e.reason());
        out.number("attempts", e.attempts()).json("input", e.input(), Payload::json);
    }

    private static void writeAttemptFailed(ActivityAttemptFailed e, JsonObjectWriter out) {
        out.number("seq", e.seq())
                .number("attempt", e.attempt())
                .string("reason", e.reason())
                .object("failure", e.failure(), FailureJson::write);
        out.instant("nextAttemptAt", e.nextAttemptAt())
                .number("omitted", e.omitted())
                .number("remainingAttempts", e.remainingAttempts());
    }

    private static void writeClosing(HistoryEvent.Closing event, JsonObjectWriter out) {
        switch (event) {
            case WorkflowCompleted e ->
                messages(e.lateMessages(), e.abandonedHandlers(), out.json("result", e.result(), Payload::json));
            case WorkflowFailed e -> {
                out.object("failure", e.failure(), FailureJson::write)
                        .string(
                                "nextRunId",
                                e.nextRunId() == null ? null : e.nextRunId().toString())
                        .duration("retryIn", e.retryIn());
                messages(e.lateMessages(), e.abandonedHandlers(), out);
                if (e.failedAt() != null) {
                    out.number("failedAt", e.failedAt());
                }
            }
            case WorkflowCancelled e ->
                messages(
                        e.lateMessages(),
                        e.abandonedHandlers(),
                        out.string("reason", e.reason()).string("by", e.by().isEmpty() ? null : e.by()));
            case WorkflowTimedOut e -> out.number("droppedMessages", e.droppedMessages());
            case WorkflowTerminated e ->
                out.string("reason", e.reason()).string("by", e.by()).number("droppedMessages", e.droppedMessages());
            case WorkflowContinuedAsNew e ->
                out.uuid("nextRunId", e.nextRunId())
                        .string("workflowType", e.workflowType())
                        .string("taskQueue", e.taskQueue())
                        .json("input", e.input(), Payload::json)
                        .duration("runTimeout", e.runTimeout())
                        .duration("startDelay", e.startDelay())
                        .flag("byStart", e.byStart())
                        .flag("keepsBuild", e.keepsBuild());
        }
    }

    /** Counts that are 0 are left out. */
    private static void messages(int late, int abandoned, JsonObjectWriter out) {
        if (late > 0) {
            out.number("lateMessages", late);
        }
        if (abandoned > 0) {
            out.number("abandonedHandlers", abandoned);
        }
    }
}
