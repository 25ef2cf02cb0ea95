package dev.durable.store.contract;

import dev.durable.ChildOptions;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ChildCancelRequested;
import dev.durable.history.ChildSignalRequested;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.ChildStartWatched;
import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.ParentRun;
import dev.durable.history.Payload;
import dev.durable.history.StoredEvent;
import dev.durable.logs.MarkedLines;
import dev.durable.store.ChildStart;
import dev.durable.store.ClaimedJob;
import dev.durable.store.NewEntry;
import dev.durable.store.NewJob;
import dev.durable.store.NewRun;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A transition in the making. */
public final class StepBuilder {
    private final Instant now;
    private final RunKey run;
    private final UUID fence;
    private final UUID newFence = UUID.randomUUID();
    private final long nextEventId;
    private final List<StoredEvent> events = new ArrayList<>();
    private final List<UUID> consumed = new ArrayList<>();
    private final List<OutgoingMessage> sends = new ArrayList<>();
    private final List<Reply> replies = new ArrayList<>();
    private final List<NewEntry> appends = new ArrayList<>();
    private final List<Transition.Settled> settled = new ArrayList<>();
    private final List<Integer> cancelled = new ArrayList<>();
    private final List<NewJob> jobs = new ArrayList<>();
    private UUID chain;
    private boolean park = true;
    private Instant wakeAt;
    private Transition.Stall stall;
    private Transition.Close close;
    private String details;
    private Transition.Build build;

    public StepBuilder(Instant now, RunKey run, UUID fence, long nextEventId) {
        this.now = now;
        this.run = run;
        this.chain = run.runId();
        this.fence = fence;
        this.nextEventId = nextEventId;
    }

    /** The run continues this one, whose chain sends its messages and has its children. */
    public StepBuilder ofChain(RunKey first) {
        chain = first.runId();
        return this;
    }

    public UUID newFence() {
        return newFence;
    }

    public StepBuilder event(String type, String attributes) {
        return event(type, null, attributes);
    }

    /** An activity is scheduled, its job born ready. */
    public StepBuilder schedules(int seq) {
        return schedules(Outcomes.job(seq, now));
    }

    /** An activity is scheduled, its job born in the hands of this session. */
    public StepBuilder schedules(int seq, NewJob.Lease eager) {
        return schedules(Outcomes.job(seq, now, StoreContract.ACTIVITY, StoreContract.QUEUE, 0, eager));
    }

    public StepBuilder schedules(NewJob job) {
        events.add(Outcomes.scheduled(nextEventId + events.size(), now, job.seq()));
        jobs.add(job);
        return this;
    }

    /** The message becomes its event. */
    public StepBuilder consumes(InboxMessage message) {
        consumed.add(message.messageId());
        String type = message.kind() == MessageKind.SIGNAL ? "SignalReceived" : message.name();
        return event(type, message.messageId(), message.payload());
    }

    /** The message goes without an event: the history has it. */
    public StepBuilder drops(InboxMessage message) {
        consumed.add(message.messageId());
        return this;
    }

    /** A job that ended in the writing worker. */
    public StepBuilder settles(ClaimedJob job) {
        return settles(job.key().seq(), job.lease());
    }

    public StepBuilder settles(int seq, UUID lease) {
        settled.add(new Transition.Settled(seq, lease, true));
        events.add(Outcomes.completed(nextEventId + events.size(), now, seq, lease));
        return this;
    }

    /** An answer to an update. */
    public StepBuilder replies(Reply reply) {
        replies.add(reply);
        return this;
    }

    /** The code appends an entry to a stream. */
    public StepBuilder appends(String stream, String value) {
        appends.add(new NewEntry(stream, value));
        return event("StreamAppended", "{\"stream\":\"" + stream + "\",\"value\":" + value + "}");
    }

    public StepBuilder cancels(int seq) {
        cancelled.add(seq);
        return event("ActivityCancelRequested", "{\"seq\":" + seq + "}");
    }

    /** The code sends a signal to a workflow. */
    public StepBuilder sends(long number, String workflowId, String name) {
        sends.add(OutgoingMessage.of(
                chain, number, workflowId, MessageKind.SIGNAL, name, "[\"" + MarkedLines.MARKER + "\"]"));
        return event(
                "ExternalSignalRequested",
                "{\"number\":" + number + ",\"workflowId\":\"" + workflowId + "\",\"signal\":\"" + name
                        + "\",\"input\":[]}");
    }

    /** The code asks a workflow to cancel. */
    public StepBuilder sendsCancel(long number, String workflowId) {
        sends.add(OutgoingMessage.of(
                chain,
                number,
                workflowId,
                MessageKind.CANCEL,
                "WorkflowCancelRequested",
                "{\"reason\":\"\",\"by\":\"workflow " + run.workflowId() + "\"}"));
        return event(
                "ExternalCancelRequested",
                "{\"number\":" + number + ",\"workflowId\":\"" + workflowId + "\",\"reason\":\"\"}");
    }

    /** The code sends a message that has no verb of its own here. */
    public StepBuilder sends(OutgoingMessage message, String type, String attributes) {
        sends.add(message);
        return event(type, attributes);
    }

    /** The next attempt is given a signal that this one was fed. */
    public StepBuilder handsOn(InboxMessage message) {
        InboxMessage again = new InboxMessage(
                OutgoingMessage.messageId(message.messageId(), 2),
                MessageKind.SIGNAL,
                message.name(),
                message.payload(),
                null,
                message.at());
        sends.add(new OutgoingMessage(chain, 0, run.workflowId(), null, again));
        return this;
    }

    /** The code starts a child, whose number is that of the message. */
    public StepBuilder startsChild(long number, RunKey child, ChildOptions options) {
        ParentRun parent = new ParentRun(run.workflowId(), chain, number, 1, run.workflowId(), chain);
        ChildStart start = new ChildStart(
                child.runId(), StoreContract.TYPE, StoreContract.QUEUE, Payload.NO_ARGUMENTS, options, parent, null);
        sends.add(toChild(number, child, MessageKind.CHILD_START, StoreContract.TYPE, start.json()));
        return command(new ChildStartRequested(
                1,
                now,
                number,
                number,
                child.workflowId(),
                child.runId(),
                StoreContract.TYPE,
                StoreContract.QUEUE,
                Payload.NO_ARGUMENTS,
                options,
                null));
    }

    /** The code sends a signal to a child. */
    public StepBuilder sendsToChild(long message, long number, RunKey child, String name) {
        sends.add(toChild(message, child, MessageKind.SIGNAL, name, "[]"));
        return command(new ChildSignalRequested(1, now, number, message, name, Payload.NO_ARGUMENTS));
    }

    /** The code asks whether a child is started. */
    public StepBuilder watches(long message, long number, RunKey child) {
        sends.add(toChild(message, child, MessageKind.CHILD_WATCH, "Watch", "{\"number\":" + number + "}"));
        return command(new ChildStartWatched(1, now, number, message));
    }

    /** The run terminates a child before it is undone. */
    public StepBuilder terminatesChild(long message, long number, RunKey child) {
        sends.add(toChild(message, child, MessageKind.CHILD_TERMINATE, "Terminate", "{}"));
        return command(new ChildCancelRequested(1, now, number, message, "undone", true));
    }

    private OutgoingMessage toChild(long message, RunKey child, MessageKind kind, String name, String payload) {
        return OutgoingMessage.toChain(chain, message, child.workflowId(), child.runId(), kind, name, payload);
    }

    private StepBuilder command(HistoryEvent.Command command) {
        return event(command.type(), EventJson.attributes(command));
    }

    public StepBuilder wakesAt(Instant when) {
        wakeAt = when;
        return this;
    }

    /** The activation goes on after it. */
    public StepBuilder staysAwake() {
        park = false;
        return this;
    }

    public StepBuilder stalls(String reason, Duration retryIn) {
        stall = new Transition.Stall(reason, retryIn);
        return this;
    }

    /** It stalls, and workers of other builds that serve the queue are woken. */
    public StepBuilder stallsFor(String reason, Duration retryIn, String queueOfOthers) {
        stall = new Transition.Stall(reason, retryIn, queueOfOthers);
        return this;
    }

    public StepBuilder closes(WorkflowStatus status) {
        return closes(status, "{\"status\":\"" + status + "\"}");
    }

    StepBuilder closes(WorkflowStatus status, String result) {
        close = new Transition.Close(status, result, null, null, false, true);
        return this;
    }

    public StepBuilder byForce() {
        close = new Transition.Close(close.status(), close.result(), close.failure(), true);
        return this;
    }

    /** The run closes, and this one continues it. */
    public StepBuilder continuesAs(NewRun next) {
        close = new Transition.Close(WorkflowStatus.CONTINUED_AS_NEW, null, null, next, false, false);
        return this;
    }

    /** It fails, and this run is the next attempt. */
    public StepBuilder retriedAs(NewRun next) {
        close = new Transition.Close(WorkflowStatus.FAILED, null, "{\"type\":\"Broken\"}", next, false, false);
        return this;
    }

    /** The build whose code makes it; null is a process that names none. */
    public StepBuilder by(String name) {
        build = new Transition.Build(name, false);
        return this;
    }

    /** The build whose code makes it, and to which the run is pinned. */
    public StepBuilder pinnedBy(String name) {
        build = new Transition.Build(name, true);
        return this;
    }

    /** What the run says that it is doing. */
    public StepBuilder details(String line) {
        details = line;
        return this;
    }

    public Transition build() {
        List<StoredEvent> all = new ArrayList<>(events);
        if (close != null) {
            all.add(new StoredEvent(nextEventId + all.size(), closingType(), now, null, closingAttributes()));
        }
        return new Transition(
                run,
                new Transition.Fences(fence, newFence, build),
                nextEventId,
                all,
                new Transition.Mail(chain, consumed, sends, replies, details, appends),
                new Transition.JobChanges(jobs, settled, cancelled),
                park,
                wakeAt,
                stall,
                close);
    }

    private StepBuilder event(String type, UUID messageId, String attributes) {
        events.add(new StoredEvent(nextEventId + events.size(), type, now, messageId, attributes));
        return this;
    }

    private String closingAttributes() {
        return close.isRetried() ? "{\"nextRunId\":\"" + close.next().run().runId() + "\"}" : "{\"result\":null}";
    }

    private String closingType() {
        return switch (close.status()) {
            case COMPLETED -> "WorkflowCompleted";
            case FAILED -> "WorkflowFailed";
            case CANCELLED -> "WorkflowCancelled";
            case CONTINUED_AS_NEW -> "WorkflowContinuedAsNew";
            default -> throw new IllegalArgumentException(close.status() + " is not for a run's own code");
        };
    }
}
