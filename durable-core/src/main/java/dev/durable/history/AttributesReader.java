package dev.durable.history;

import dev.durable.RetryPolicy;
import dev.durable.Versioning;
import dev.durable.client.WorkflowStatus;
import dev.durable.internal.json.JsonObjectReader;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Decodes the attributes of each event type from JSON. The other direction is {@link AttributesWriter}. */
final class AttributesReader {
    /** How an event of one type is read. */
    private interface Rule {
        HistoryEvent read(AttributesReader event, JsonObjectReader in);
    }

    private static final Map<String, Rule> RULES = Map.ofEntries(
            rule(WorkflowStarted.class, (e, in) -> e.started(in)),
            rule(
                    WorkflowCancelRequested.class,
                    (e, in) -> new WorkflowCancelRequested(
                            e.id,
                            e.at,
                            e.messageId(),
                            in.string("reason", ""),
                            in.string("by", ""),
                            in.flag("withNext"))),
            rule(
                    ActivityCompleted.class,
                    (e, in) -> new ActivityCompleted(
                            e.id,
                            e.at,
                            in.integer("seq"),
                            in.integer("attempt"),
                            e.messageId(),
                            payload(in, "result"),
                            in.instant("startedAt"),
                            in.string("worker", ""),
                            local(in))),
            rule(
                    ActivityFailed.class,
                    (e, in) -> new ActivityFailed(
                            e.id,
                            e.at,
                            in.integer("seq"),
                            in.integer("attempt"),
                            e.messageId(),
                            FailureJson.decode(in.json("failure")),
                            in.string("worker", ""),
                            local(in))),
            rule(
                    ActivityTimedOut.class,
                    (e, in) -> new ActivityTimedOut(
                            e.id,
                            e.at,
                            in.integer("seq"),
                            in.integer("attempt"),
                            e.messageId(),
                            TimeoutType.valueOf(in.string("timeout")),
                            payloadOrNull(in, "lastHeartbeatDetails"),
                            FailureJson.readOrNull(in.jsonOrNull("lastFailure")),
                            local(in))),
            rule(
                    ActivityCancelled.class,
                    (e, in) -> new ActivityCancelled(
                            e.id,
                            e.at,
                            in.integer("seq"),
                            in.integer("attempt"),
                            e.messageId(),
                            payloadOrNull(in, "lastHeartbeatDetails"),
                            local(in))),
            rule(TimerFired.class, (e, in) -> new TimerFired(e.id, e.at, in.integer("seq"))),
            rule(
                    SignalReceived.class,
                    (e, in) -> new SignalReceived(
                            e.id,
                            e.at,
                            e.messageId(),
                            in.string("name"),
                            payload(in, "input"),
                            in.flag("withNext"),
                            in.instantOrNull("acceptedAt"))),
            rule(
                    UpdateAccepted.class,
                    (e, in) -> new UpdateAccepted(
                            e.id,
                            e.at,
                            e.messageId(),
                            in.string("updateId"),
                            in.string("name"),
                            payload(in, "input"),
                            in.flag("withNext"),
                            in.instantOrNull("acceptedAt"))),
            rule(
                    ActivityScheduled.class,
                    (e, in) -> new ActivityScheduled(
                            e.id,
                            e.at,
                            in.integer("seq"),
                            in.string("activity"),
                            in.string("taskQueue"),
                            payload(in, "input"),
                            OptionsJson.decode(in.json("options")))),
            rule(ChildStarted.class, (e, in) -> new ChildStarted(e.id, e.at, in.number("number"), e.messageId())),
            rule(
                    ChildCompleted.class,
                    (e, in) ->
                            new ChildCompleted(e.id, e.at, in.number("number"), e.messageId(), payload(in, "result"))),
            rule(
                    ChildFailed.class,
                    (e, in) -> new ChildFailed(
                            e.id,
                            e.at,
                            in.number("number"),
                            e.messageId(),
                            WorkflowStatus.valueOf(in.string("status")),
                            FailureJson.readOrNull(in.jsonOrNull("failure")))),
            rule(
                    ChildCancelled.class,
                    (e, in) -> new ChildCancelled(
                            e.id,
                            e.at,
                            in.number("number"),
                            e.messageId(),
                            FailureJson.readOrNull(in.jsonOrNull("failure")))),
            rule(
                    ChildStartFailed.class,
                    (e, in) -> new ChildStartFailed(
                            e.id, e.at, in.number("number"), e.messageId(), in.string("reason", ""))),
            rule(
                    ChildStartRequested.class,
                    (e, in) -> new ChildStartRequested(
                            e.id,
                            e.at,
                            in.number("number"),
                            in.number("message"),
                            in.string("workflowId"),
                            in.uuid("runId"),
                            in.string("workflowType"),
                            in.string("taskQueue"),
                            payload(in, "input"),
                            ChildOptionsJson.decode(in.json("options")),
                            retry(in))),
            rule(
                    ChildCancelRequested.class,
                    (e, in) -> new ChildCancelRequested(
                            e.id,
                            e.at,
                            in.number("number"),
                            in.number("message"),
                            in.string("reason", ""),
                            in.flag("terminate"))),
            rule(
                    ChildSignalRequested.class,
                    (e, in) -> new ChildSignalRequested(
                            e.id,
                            e.at,
                            in.number("number"),
                            in.number("message"),
                            in.string("signal"),
                            payload(in, "input"))),
            rule(
                    ChildStartWatched.class,
                    (e, in) -> new ChildStartWatched(e.id, e.at, in.number("number"), in.number("message"))),
            rule(
                    CallbackOpened.class,
                    (e, in) -> new CallbackOpened(e.id, e.at, in.number("number"), in.uuid("callback"))),
            rule(
                    CallbackCancelled.class,
                    (e, in) -> new CallbackCancelled(e.id, e.at, in.number("number"), in.uuid("callback"))),
            rule(
                    CallbackCompleted.class,
                    (e, in) -> new CallbackCompleted(
                            e.id, e.at, in.uuid("callback"), payload(in, "result"), in.flag("readable"))),
            rule(
                    CallbackFailed.class,
                    (e, in) -> new CallbackFailed(
                            e.id,
                            e.at,
                            in.uuid("callback"),
                            FailureJson.decode(in.json("failure")),
                            payloadOrNull(in, "value"))),
            rule(CallbackTimedOut.class, (e, in) -> new CallbackTimedOut(e.id, e.at, in.uuid("callback"))),
            rule(
                    CallbackExtended.class,
                    (e, in) -> new CallbackExtended(
                            e.id, e.at, e.messageId(), in.uuid("callback"), in.duration("time", Duration.ZERO))),
            rule(ActivityCancelRequested.class, (e, in) -> new ActivityCancelRequested(e.id, e.at, in.integer("seq"))),
            rule(
                    TimerStarted.class,
                    (e, in) -> new TimerStarted(
                            e.id, e.at, in.integer("seq"), in.instant("fireAt"), in.stringOrNull("summary"))),
            rule(TimerCancelled.class, (e, in) -> new TimerCancelled(e.id, e.at, in.integer("seq"))),
            rule(SideEffectRecorded.class, (e, in) -> new SideEffectRecorded(e.id, e.at, payload(in, "value"))),
            rule(
                    StreamAppended.class,
                    (e, in) -> new StreamAppended(e.id, e.at, in.string("stream"), payload(in, "value"))),
            rule(
                    VersionRecorded.class,
                    (e, in) -> new VersionRecorded(e.id, e.at, in.string("changeId"), in.integer("version"))),
            rule(
                    ExternalSignalRequested.class,
                    (e, in) -> new ExternalSignalRequested(
                            e.id,
                            e.at,
                            in.number("number"),
                            in.string("workflowId"),
                            in.string("signal"),
                            payload(in, "input"))),
            rule(
                    ExternalCancelRequested.class,
                    (e, in) -> new ExternalCancelRequested(
                            e.id, e.at, in.number("number"), in.string("workflowId"), in.string("reason", ""))),
            rule(
                    UpdateCompleted.class,
                    (e, in) -> new UpdateCompleted(e.id, e.at, in.string("updateId"), payload(in, "result"))),
            rule(
                    UpdateFailed.class,
                    (e, in) -> new UpdateFailed(
                            e.id, e.at, in.string("updateId"), FailureJson.decode(in.json("failure")))),
            rule(
                    ActivityAttemptFailed.class,
                    (e, in) -> new ActivityAttemptFailed(
                            e.id,
                            e.at,
                            in.integer("seq"),
                            in.integer("attempt"),
                            in.string("reason", ""),
                            FailureJson.readOrNull(in.jsonOrNull("failure")),
                            in.instantOrNull("nextAttemptAt"),
                            in.integer("omitted", 0),
                            in.has("remainingAttempts") ? in.integer("remainingAttempts") : null)),
            rule(
                    ActivityTimeoutUpdated.class,
                    (e, in) -> new ActivityTimeoutUpdated(
                            e.id,
                            e.at,
                            in.integer("seq"),
                            in.integer("attempt"),
                            in.instant("oldDeadline"),
                            in.instant("newDeadline"),
                            in.string("by", ""))),
            rule(
                    IncidentRaised.class,
                    (e, in) -> new IncidentRaised(
                            e.id,
                            e.at,
                            in.integer("seq"),
                            in.integer("attempt"),
                            in.string("kind", ""),
                            in.string("reason", ""),
                            FailureJson.readOrNull(in.jsonOrNull("failure")),
                            in.integer("crashes", 0),
                            in.string("fingerprint", ""))),
            rule(
                    IncidentResolved.class,
                    (e, in) -> new IncidentResolved(
                            e.id,
                            e.at,
                            in.integer("seq"),
                            in.string("resolution", ""),
                            in.string("by", ""),
                            in.string("reason", ""),
                            in.has("attempts") ? in.integer("attempts") : null,
                            payloadOrNull(in, "input"))),
            rule(
                    WorkflowPaused.class,
                    (e, in) -> new WorkflowPaused(e.id, e.at, in.string("reason", ""), in.string("by", ""))),
            rule(WorkflowResumed.class, (e, in) -> new WorkflowResumed(e.id, e.at, in.string("by", ""))),
            rule(
                    ActivityOptionsUpdated.class,
                    (e, in) -> new ActivityOptionsUpdated(
                            e.id,
                            e.at,
                            in.integer("seq"),
                            in.integer("attempt"),
                            OptionsJson.decode(in.json("oldOptions")),
                            OptionsJson.decode(in.json("newOptions")),
                            in.string("by", ""))),
            rule(
                    ActivityOperated.class,
                    (e, in) -> new ActivityOperated(
                            e.id,
                            e.at,
                            in.integer("seq"),
                            in.integer("attempt"),
                            in.string("action", ""),
                            in.string("by", ""),
                            in.instantOrNull("nextAttemptAt"))),
            rule(
                    ActivityAbandoned.class,
                    (e, in) -> new ActivityAbandoned(
                            e.id,
                            e.at,
                            in.integer("seq"),
                            in.integer("attempt"),
                            payloadOrNull(in, "lastHeartbeatDetails"),
                            payloadOrNull(in, "outcome"))),
            rule(FirstTurnStarted.class, (e, in) -> new FirstTurnStarted(e.id, e.at, in.flag("withNext"))),
            rule(
                    WorkflowForked.class,
                    (e, in) -> new WorkflowForked(
                            e.id,
                            e.at,
                            in.uuid("fromRunId"),
                            in.string("workflowId"),
                            in.uuid("runId"),
                            in.instantOrNull("runDeadline"),
                            in.instantOrNull("executionDeadline"),
                            in.string("by"),
                            chain(in),
                            in.stringOrNull("reason"))),
            rule(
                    WorkflowCompleted.class,
                    (e, in) -> new WorkflowCompleted(e.id, e.at, payload(in, "result"), late(in), abandoned(in))),
            rule(
                    WorkflowFailed.class,
                    (e, in) -> new WorkflowFailed(
                            e.id,
                            e.at,
                            FailureJson.decode(in.json("failure")),
                            late(in),
                            abandoned(in),
                            in.has("nextRunId") ? in.uuid("nextRunId") : null,
                            in.durationOrNull("retryIn"),
                            in.has("failedAt") ? in.number("failedAt") : null)),
            rule(
                    WorkflowCancelled.class,
                    (e, in) -> new WorkflowCancelled(
                            e.id, e.at, in.string("reason", ""), in.string("by", ""), late(in), abandoned(in))),
            rule(WorkflowTimedOut.class, (e, in) -> new WorkflowTimedOut(e.id, e.at, in.integer("droppedMessages", 0))),
            rule(
                    WorkflowTerminated.class,
                    (e, in) -> new WorkflowTerminated(
                            e.id,
                            e.at,
                            in.string("reason", ""),
                            in.string("by", ""),
                            in.integer("droppedMessages", 0))),
            rule(
                    WorkflowContinuedAsNew.class,
                    (e, in) -> new WorkflowContinuedAsNew(
                            e.id,
                            e.at,
                            in.uuid("nextRunId"),
                            in.string("workflowType"),
                            in.string("taskQueue"),
                            payload(in, "input"),
                            in.durationOrNull("runTimeout"),
                            in.durationOrNull("startDelay"),
                            in.flag("byStart"),
                            in.flag("keepsBuild"))));

    private final long id;
    private final Instant at;
    private final @Nullable UUID messageId;

    private AttributesReader(StoredEvent stored) {
        this.id = stored.id();
        this.at = stored.at();
        this.messageId = stored.messageId();
    }

    /** The types that it reads. */
    static Set<String> types() {
        return RULES.keySet();
    }

    /** The event; null where this version has no such type. */
    static @Nullable HistoryEvent readOrNull(StoredEvent stored, JsonObjectReader in) {
        Rule rule = RULES.get(stored.type());
        return rule == null ? null : rule.read(new AttributesReader(stored), in);
    }

    private static int late(JsonObjectReader in) {
        return in.integer("lateMessages", 0);
    }

    private static int abandoned(JsonObjectReader in) {
        return in.integer("abandonedHandlers", 0);
    }

    private static Map.Entry<String, Rule> rule(Class<? extends HistoryEvent> type, Rule rule) {
        return Map.entry(type.getSimpleName(), rule);
    }

    private static Payload payload(JsonObjectReader in, String name) {
        return new Payload(in.json(name));
    }

    static @Nullable Payload payloadOrNull(JsonObjectReader in, String name) {
        String json = in.jsonOrNull(name);
        return json == null ? null : new Payload(json);
    }

    private UUID messageId() {
        if (messageId == null) {
            throw new IllegalArgumentException("it has no message id");
        }
        return messageId;
    }

    private static @Nullable LocalCall local(JsonObjectReader in) {
        String call = in.jsonOrNull("local");
        if (call == null) {
            return null;
        }
        JsonObjectReader local = JsonObjectReader.of(call);
        return new LocalCall(local.string("activity"), payload(local, "input"));
    }

    private static @Nullable RetryPolicy retry(JsonObjectReader in) {
        String retry = in.jsonOrNull("retry");
        return retry == null ? null : OptionsJson.readRetry(JsonObjectReader.of(retry));
    }

    private static @Nullable ParentRun parent(JsonObjectReader in) {
        String parent = in.jsonOrNull("parent");
        return parent == null ? null : ParentRun.read(JsonObjectReader.of(parent));
    }

    private WorkflowStarted started(JsonObjectReader in) {
        return new WorkflowStarted(
                id,
                at,
                in.string("workflowId"),
                in.uuid("runId"),
                in.string("workflowType"),
                in.string("taskQueue"),
                payload(in, "input"),
                in.integer("flags", 0),
                in.instantOrNull("runDeadline"),
                in.map("headers"),
                in.flag("firstTurnDone"),
                in.durationOrNull("startDelay"),
                in.stringOrNull("startedBy"),
                in.durationOrNull("runTimeout"),
                in.instantOrNull("executionDeadline"),
                chain(in),
                parent(in),
                attempt(in),
                in.has("versioning") ? Versioning.valueOf(in.string("versioning")) : null);
    }

    private static @Nullable ChainLink chain(JsonObjectReader in) {
        return in.has("firstRunId")
                ? new ChainLink(
                        in.uuid("firstRunId"),
                        in.uuid("previousRunId"),
                        in.number("messagesSent"),
                        in.has("childrenStarted") ? in.number("childrenStarted") : 0,
                        CarriedChild.readAll(in, "children"))
                : null;
    }

    private static @Nullable RunAttempt attempt(JsonObjectReader in) {
        String attempt = in.jsonOrNull("attempt");
        return attempt == null ? null : RunAttempt.read(JsonObjectReader.of(attempt));
    }
}
