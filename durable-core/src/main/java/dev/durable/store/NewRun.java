package dev.durable.store;

import dev.durable.ConflictPolicy;
import dev.durable.ParentClosePolicy;
import dev.durable.ReusePolicy;
import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.internal.json.JsonObjectWriter;
import dev.durable.internal.text.NamedValues;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A run to be started: its rows, first events, jobs and policies. A resend with the same run id is recognised, also
 * after the run closed.
 *
 * @param run the run, with an id that the client has made
 * @param type workflow type
 * @param taskQueue its queue
 * @param fence the fence it is parked under
 * @param firstTurn its first events, and what its first turn gave where that is done
 * @param policies what is to happen where another run has its workflow id
 * @param deadlines when it times out, and when it expires
 * @param message a signal that goes into the inbox with a new run, in the same commit; null without. If a run is open
 *     already, the signal goes into the inbox of that run, also in that commit, if the conflict policy is USE_EXISTING
 *     and it is {@linkplain #isOfType of the same type}; else it is not delivered
 * @param listed its memo, its place in a batch and its parent
 */
public record NewRun(
        RunKey run,
        String type,
        String taskQueue,
        UUID fence,
        FirstTurn firstTurn,
        Policies policies,
        Deadlines deadlines,
        @Nullable InboxMessage message,
        Listed listed) {

    /** A run that is no child. */
    public NewRun(
            RunKey run,
            String type,
            String taskQueue,
            UUID fence,
            FirstTurn firstTurn,
            Policies policies,
            Deadlines deadlines,
            Map<String, String> memo,
            @Nullable InboxMessage message,
            @Nullable BatchPlace place) {
        this(run, type, taskQueue, fence, firstTurn, policies, deadlines, message, new Listed(memo, place, null));
    }

    /** Its memo. */
    public Map<String, String> memo() {
        return listed.memo();
    }

    /** Its place in a batch of background jobs; null without. */
    public @Nullable BatchPlace place() {
        return listed.place;
    }

    /** The columns that name its parent; null for a run that is no child. */
    public @Nullable Parent parent() {
        return listed.parent;
    }

    /**
     * The facts by which listings find the run.
     *
     * @param memo notes for listings
     * @param place its place in a batch of background jobs, in whose order its job stands in the queue; null without
     * @param parent the columns that name its parent; null for a run that is no child
     */
    public record Listed(
            Map<String, String> memo,
            @Nullable BatchPlace place,
            @Nullable Parent parent) {
        public Listed {
            memo = NamedValues.copyOf(memo);
        }

        @Override
        public Map<String, String> memo() {
            return NamedValues.plain(memo);
        }
    }

    /**
     * The first turn of a run, made with its start or left to a worker.
     *
     * @param done whether the events hold the first turn
     * @param events WorkflowStarted and, where the first turn ran at once, what that gave
     * @param jobs jobs of the first turn
     * @param wakeAt where the first turn is done: when its earliest timer is due, null without; ignored otherwise
     * @param delay where the first turn is not done: how long until the run is due; ignored otherwise
     * @param details the line that says what the run is doing, as the first turn has set it; null without
     * @param build the build whose code has made the first turn, or, where it is not done, the build that alone is to make
     *     it; null where its process names none, or any may make it
     * @param copied the events in front of these; null where these are the first of the run
     */
    public record FirstTurn(
            boolean done,
            List<StoredEvent> events,
            List<NewJob> jobs,
            @Nullable Instant wakeAt,
            Duration delay,
            @Nullable String details,
            Transition.@Nullable Build build,
            @Nullable Copied copied) {
        public FirstTurn {
            events = List.copyOf(events);
            jobs = List.copyOf(jobs);
        }

        /** Returns how many events the run has with its start. */
        public long length() {
            return events.size() + (copied == null ? 0 : copied.events());
        }

        @Override
        public String toString() {
            return "FirstTurn[done=" + done + ", events=" + events + ", jobs=" + jobs + ", wakeAt=" + wakeAt
                    + ", delay=" + delay + "]";
        }

        /** This first turn, left to a worker of a build, to which the run is pinned; null is any build. */
        public FirstTurn pinnedTo(@Nullable String name) {
            Transition.Build pin = name == null ? null : new Transition.Build(name, true);
            return new FirstTurn(done, events, jobs, wakeAt, delay, details, pin, copied);
        }

        /** Returns the build to which the run is pinned from its start on; null is any. */
        public @Nullable String pinnedTo() {
            return build == null || !build.pinned() ? null : build.name();
        }

        /** Returns the build whose code has made the first turn; null where it is not done, or its process names none. */
        public @Nullable String madeBy() {
            return build == null || !done ? null : build.name();
        }

        /** A first turn that a worker makes after this delay. */
        public static FirstTurn later(List<StoredEvent> started, Duration delay) {
            return new FirstTurn(false, started, List.of(), null, delay, null, null, null);
        }

        /** The copied events of a fork, with what is open at their end; a worker goes on from there at once. */
        public static FirstTurn forked(Copied copied, StoredEvent forked, List<NewJob> jobs) {
            return new FirstTurn(false, List.of(forked), jobs, null, Duration.ZERO, null, null, copied);
        }
    }

    /**
     * The events that a fork has of the run from which it was forked.
     *
     * @param from that run
     * @param events how many of its first events; the start fails where the store does not have all of them
     * @param messages outcomes and messages that wait for the fork from its start on
     * @param actor the name of the operator or process that forks it, for the audit
     * @param reason why; null where the caller says nothing
     */
    public record Copied(
            RunKey from,
            long events,
            List<InboxMessage> messages,
            String actor,
            @Nullable String reason) {
        /** The name of the action in the audit. */
        public static final String ACTION = "fork run";

        public Copied {
            messages = List.copyOf(messages);
        }

        /** The details of the row in the audit: a JSON object. */
        public String details(RunKey fork) {
            return JsonObjectWriter.object(out -> out.uuid("runId", from.runId())
                    .number("event", events)
                    .uuid("fork", fork.runId())
                    .string("as", fork.workflowId())
                    .string("reason", reason));
        }

        @Override
        public String toString() {
            return "Copied[" + from + ", " + events + ", " + messages + "]";
        }
    }

    /**
     * The rules where another run has or had the workflow id.
     *
     * @param reuse judged against the latest closed run of the workflow id
     * @param conflict what the caller does about AlreadyOpen: throw, use it, or seize it and start again; the store never
     *     closes a run because of it
     * @param formerTypes other names that the type has or had: an open run under one of them is of the same type
     */
    public record Policies(ReusePolicy reuse, ConflictPolicy conflict, List<String> formerTypes) {
        public Policies {
            formerTypes = List.copyOf(formerTypes);
        }
    }

    /**
     * Until when a run must have ended, and until when it must have begun.
     *
     * @param timesOutAt when the run times out; null is never
     * @param expiresAt listed as expired if its first turn is not written by then; null is never
     */
    public record Deadlines(
            @Nullable Instant timesOutAt, @Nullable Instant expiresAt) {}

    /**
     * The parent of a child, as the child's row has it.
     *
     * @param workflowId the workflow id of the parent
     * @param chain the chain of the parent, which gets the outcome
     * @param number the number of the child among those of the parent's chain
     * @param closePolicy what happens to the child when the parent's chain has ended
     * @param rootChain the chain at the top of the tree
     */
    public record Parent(String workflowId, UUID chain, long number, ParentClosePolicy closePolicy, UUID rootChain) {}

    /** Returns whether a run that is open under this type is of the type of this start, under its present or a former name. */
    public boolean isOfType(String open) {
        return open.equals(type) || policies.formerTypes().contains(open);
    }

    /** Returns whether the message goes to a run that is open already. */
    public boolean tellsOpenRuns() {
        return message != null && policies.conflict() == ConflictPolicy.USE_EXISTING;
    }

    /** This start with another message. */
    public NewRun withMessage(@Nullable InboxMessage other) {
        return with(firstTurn, other, listed.place);
    }

    /** This start with its first turn done. */
    public NewRun withFirstTurn(
            List<StoredEvent> events,
            List<NewJob> jobs,
            @Nullable Instant wakeAt,
            @Nullable String details,
            Transition.@Nullable Build build) {
        Transition.Build pinned = firstTurn.build() == null ? build : firstTurn.build();
        return with(
                new FirstTurn(true, events, jobs, wakeAt, Duration.ZERO, details, pinned, null), message, listed.place);
    }

    /** This start with its first event only. */
    public NewRun withStarted(StoredEvent started) {
        return with(
                FirstTurn.later(List.of(started), firstTurn.delay()).pinnedTo(firstTurn.pinnedTo()),
                message,
                listed.place);
    }

    /** This start at another place of a batch. */
    public NewRun at(@Nullable BatchPlace other) {
        return with(firstTurn, message, other);
    }

    private NewRun with(FirstTurn turn, @Nullable InboxMessage signal, @Nullable BatchPlace where) {
        return new NewRun(
                run,
                type,
                taskQueue,
                fence,
                turn,
                policies,
                deadlines,
                signal,
                new Listed(listed.memo(), where, listed.parent));
    }

    @Override
    public String toString() {
        return "NewRun[" + run + ", " + type + ", " + taskQueue + ", " + firstTurn + ", " + policies + "]";
    }
}
