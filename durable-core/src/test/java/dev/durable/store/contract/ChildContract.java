package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ChildOptions;
import dev.durable.ParentClosePolicy;
import dev.durable.ReusePolicy;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ChildCancelled;
import dev.durable.history.ChildCompleted;
import dev.durable.history.ChildFailed;
import dev.durable.history.ChildStartFailed;
import dev.durable.history.ChildStarted;
import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.history.WorkflowStarted;
import dev.durable.history.WorkflowTerminated;
import dev.durable.store.ChildOutcome;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Children: their starts by the relay, their outcomes, and what the end of the parent does to them. */
abstract class ChildContract extends StoreContract {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final ChildOptions DEFAULTS = ChildOptions.defaults();

    private boolean exists(String workflowId) {
        return store.latestRun(workflowId).isPresent();
    }

    private WorkflowStatus status(RunKey run) {
        return store.latestRun(run.workflowId()).orElseThrow().status();
    }

    private HistoryEvent news(RunKey parent) {
        InboxMessage message = waiting(parent).getFirst();
        assertThat(message.kind()).isEqualTo(MessageKind.CHILD_OUTCOME);
        return EventJson.decode(
                new StoredEvent(1, message.name(), store.now(), message.messageId(), message.payload()));
    }

    private HistoryEvent last(RunKey run) {
        return EventJson.decode(history(run).getLast());
    }

    // ── starts ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_child_is_started_by_the_relay_once_and_names_its_parent() {
        RunKey child = child("child");
        Writer parent = claimed("parent");
        write(parent, parent.step().startsChild(1, child, DEFAULTS));
        assertThat(exists("child")).isFalse();

        relayUntilEmpty();
        assertThat(store.relay(100).gone()).isZero();
        assertThat(status(child)).isEqualTo(WorkflowStatus.RUNNING);
        WorkflowStarted started =
                (WorkflowStarted) EventJson.decode(history(child).getFirst());
        assertThat(started.runId()).isEqualTo(child.runId());
        assertThat(started.startedBy()).isEqualTo("workflow parent");
        assertThat(started.parent().chain()).isEqualTo(parent.run().runId());
        assertThat(waiting(parent.run())).isEmpty();
        assertThat(claimedIds(openSession())).contains("child");
    }

    @Test
    void the_times_of_a_child_count_from_its_start_and_not_from_the_request() {
        RunKey child = child("child");
        Writer parent = claimed("parent");
        write(parent, parent.step().startsChild(1, child, DEFAULTS.runTimeout(HOUR)));
        advance(HOUR.plusMinutes(1));

        relayUntilEmpty();
        assertThat(store.expiredRuns(10)).isEmpty();
        advance(HOUR.plusMinutes(1));
        assertThat(store.expiredRuns(10)).containsExactly(child);
    }

    @Test
    void a_child_whose_id_is_in_use_is_not_started_and_its_parent_is_told() {
        RunKey other = started("child");
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);

        assertThat(news(parent.run())).isInstanceOfSatisfying(ChildStartFailed.class, failed -> {
            assertThat(failed.number()).isEqualTo(1);
            assertThat(failed.messageId()).isEqualTo(child.runId());
            assertThat(failed.reason())
                    .contains("workflow child is open", other.runId().toString());
        });
        assertThat(waiting(other)).isEmpty();
    }

    @Test
    void a_child_whose_reuse_policy_allows_no_other_run_is_not_started() {
        RunKey before = started("child");
        terminated(before);
        Writer parent = parentOf(child("child"), DEFAULTS.reusePolicy(ReusePolicy.REJECT_DUPLICATE));

        assertThat(news(parent.run()))
                .isInstanceOfSatisfying(
                        ChildStartFailed.class,
                        failed -> assertThat(failed.reason()).contains("the reuse policy", "TERMINATED"));
    }

    @Test
    void messages_to_a_child_follow_its_start_and_go_to_no_other_run_of_its_id() {
        RunKey child = child("child");
        Writer parent = claimed("parent");
        write(parent, parent.step().startsChild(1, child, DEFAULTS).sendsToChild(2, 1, child, "a"));
        relayUntilEmpty();
        assertThat(waitingNames(child)).containsExactly("a");

        terminated(child);
        RunKey stranger = started("child");
        relayUntilEmpty();
        parent = claimed(parent.run());
        InboxMessage outcome = waiting(parent.run()).getFirst();
        write(parent, parent.step().consumes(outcome).sendsToChild(3, 1, child, "b"));
        relayUntilEmpty();
        assertThat(waiting(stranger)).isEmpty();
    }

    @Test
    void a_question_for_the_start_is_answered_behind_it() {
        RunKey child = child("child");
        Writer parent = claimed("parent");
        write(parent, parent.step().startsChild(1, child, DEFAULTS).watches(2, 1, child));
        relayUntilEmpty();

        assertThat(news(parent.run())).isInstanceOfSatisfying(ChildStarted.class, started -> {
            assertThat(started.number()).isEqualTo(1);
            assertThat(started.messageId())
                    .isEqualTo(ChildOutcome.started(child.runId(), 1).messageId());
        });
    }

    @Test
    void a_question_for_a_start_that_failed_is_answered_by_the_failure() {
        started("child");
        RunKey child = child("child");
        Writer parent = claimed("parent");
        write(parent, parent.step().startsChild(1, child, DEFAULTS).watches(2, 1, child));
        relayUntilEmpty();

        assertThat(waiting(parent.run())).hasSize(1);
        assertThat(news(parent.run())).isInstanceOf(ChildStartFailed.class);
    }

    // ── outcomes ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private HistoryEvent outcome(WorkflowStatus status) {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        Writer writer = claimed(child);
        write(writer, writer.step().closes(status));
        relayUntilEmpty();
        return news(parent.run());
    }

    @Test
    void the_result_of_a_child_goes_to_its_parent() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        Writer writer = claimed(child);
        write(writer, writer.step().closes(WorkflowStatus.COMPLETED));
        assertThat(waiting(parent.run())).isEmpty();

        relayUntilEmpty();
        assertThat(waiting(parent.run())).hasSize(1);
        assertThat(news(parent.run())).isInstanceOfSatisfying(ChildCompleted.class, completed -> {
            assertThat(completed.number()).isEqualTo(1);
            assertThat(completed.messageId()).isEqualTo(child.runId());
            assertThat(completed.result().json()).isEqualTo("{\"status\":\"COMPLETED\"}");
        });
    }

    @Test
    void a_child_that_failed_or_was_cancelled_tells_its_parent() {
        assertThat(outcome(WorkflowStatus.FAILED))
                .isInstanceOfSatisfying(
                        ChildFailed.class, failed -> assertThat(failed.status()).isEqualTo(WorkflowStatus.FAILED));
    }

    @Test
    void a_child_that_ended_cancelled_tells_its_parent() {
        assertThat(outcome(WorkflowStatus.CANCELLED)).isInstanceOf(ChildCancelled.class);
    }

    @Test
    void a_child_that_is_terminated_tells_its_parent() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        terminated(child);
        relayUntilEmpty();

        assertThat(news(parent.run()))
                .isInstanceOfSatisfying(
                        ChildFailed.class, failed -> assertThat(failed.status()).isEqualTo(WorkflowStatus.TERMINATED));
    }

    @Test
    void an_outcome_to_a_parent_that_has_ended_is_dropped() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS.parentClosePolicy(ParentClosePolicy.ABANDON));
        write(parent, parent.closing());
        terminated(child);
        relayUntilEmpty();

        assertThat(eventTypes(parent.run())).last().isEqualTo("WorkflowCompleted");
    }

    @Test
    void an_outcome_that_waits_does_not_keep_its_parent_from_closing() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        terminated(child);
        relayUntilEmpty();

        assertThat(parent.write(parent.closing())).isEqualTo(Transition.Outcome.APPLIED);
        relayUntilEmpty();
    }

    // ── the end of the parent ────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void the_end_of_its_parent_terminates_a_child_and_its_children() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        Writer middle = claimed(child);
        RunKey grandchild = child("grandchild");
        write(middle, middle.step().startsChild(1, grandchild, DEFAULTS));
        relayUntilEmpty();
        write(parent, parent.closing());
        relayUntilEmpty();

        assertThat(last(child)).isInstanceOfSatisfying(WorkflowTerminated.class, end -> {
            assertThat(end.by()).isEqualTo("workflow parent");
            assertThat(end.reason()).isEqualTo("its parent has ended");
        });
        assertThat(status(grandchild)).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void a_parent_that_is_terminated_ends_its_children_too() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        terminated(parent.run());
        relayUntilEmpty();

        assertThat(status(child)).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void the_end_of_its_parent_asks_a_child_to_cancel_once() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS.parentClosePolicy(ParentClosePolicy.CANCEL));
        write(parent, parent.closing());
        relayUntilEmpty();

        assertThat(waiting(child)).singleElement().satisfies(request -> {
            assertThat(request.kind()).isEqualTo(MessageKind.CANCEL);
            HistoryEvent event = EventJson.decode(
                    new StoredEvent(1, request.name(), store.now(), request.messageId(), request.payload()));
            assertThat(event)
                    .isInstanceOfSatisfying(
                            WorkflowCancelRequested.class,
                            cancel -> assertThat(cancel.by()).isEqualTo("workflow parent"));
        });
    }

    @Test
    void an_abandoned_child_outlives_its_parent() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS.parentClosePolicy(ParentClosePolicy.ABANDON));
        write(parent, parent.closing());
        relayUntilEmpty();

        assertThat(status(child)).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(waiting(child)).isEmpty();
    }

    @Test
    void a_child_of_a_parent_that_has_ended_is_started_only_if_it_is_abandoned() {
        Writer parent = claimed("parent");
        write(
                parent,
                parent.step()
                        .startsChild(1, child("terminate"), DEFAULTS)
                        .startsChild(2, child("cancel"), DEFAULTS.parentClosePolicy(ParentClosePolicy.CANCEL))
                        .startsChild(3, child("abandon"), DEFAULTS.parentClosePolicy(ParentClosePolicy.ABANDON))
                        .closes(WorkflowStatus.COMPLETED));
        relayUntilEmpty();

        assertThat(exists("terminate")).isFalse();
        assertThat(exists("cancel")).isFalse();
        assertThat(exists("abandon")).isTrue();
    }

    @Test
    void all_children_of_a_parent_end_with_it() {
        Writer parent = claimed("parent");
        StepBuilder step = parent.step();
        List<RunKey> children = new ArrayList<>();
        for (int i = 1; i <= 120; i++) {
            RunKey child = child("child-" + i);
            children.add(child);
            step.startsChild(i, child, DEFAULTS);
        }
        write(parent, step);
        relayUntilEmpty();
        write(parent, parent.closing());
        relayUntilEmpty();

        assertThat(children).allSatisfy(child -> assertThat(status(child)).isEqualTo(WorkflowStatus.TERMINATED));
    }

    @Test
    void a_parent_terminates_a_child_before_it_is_undone() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        write(parent, parent.step().terminatesChild(2, 1, child));
        relayUntilEmpty();

        assertThat(last(child))
                .isInstanceOfSatisfying(
                        WorkflowTerminated.class,
                        end -> assertThat(end.reason()).isEqualTo("its parent is being undone"));
        assertThat(news(parent.run())).isInstanceOf(ChildFailed.class);
    }

    // ── an order that can't be carried out yet ───────────────────────────────────────────────────────────────────────

    /** The children of a parent that has ended: all are asked to cancel, but one whose inbox is full. */
    private Map<String, Writer> childrenOfEndedParent() {
        Writer parent = claimed("parent");
        ChildOptions asked = DEFAULTS.parentClosePolicy(ParentClosePolicy.CANCEL);
        RunKey full = child("full");
        write(parent, parent.step().startsChild(1, full, asked).startsChild(2, child("free"), asked));
        relayUntilEmpty();
        Map<String, Writer> children = claimRuns(session).stream()
                .collect(Collectors.toMap(claim -> claim.run().workflowId(), this::writer));
        for (int i = 0; i < fixture.inboxLimit().messages(); i++) {
            signalled(full, "s" + i);
        }
        write(parent, parent.closing());
        store.relay(100);
        assertThat(store.outboxSince()).as("the order of the parent").isPresent();
        return children;
    }

    private void makeRoom(Writer full) {
        write(full, full.step().consumes(waiting(full.run()).getFirst()));
        relayUntilEmpty();
        assertThat(waitingNames(full.run())).last().isEqualTo("WorkflowCancelRequested");
    }

    @Test
    void an_order_that_waits_for_a_child_holds_up_no_message_to_a_new_run_of_the_parents_id() {
        Map<String, Writer> children = childrenOfEndedParent();
        RunKey next = started("parent");
        Writer sender = claimed("sender");
        write(sender, sender.step().sends(1, "parent", "hello"));

        store.relay(100);
        assertThat(waitingNames(next)).containsExactly("hello");
        makeRoom(children.get("full"));
    }

    @Test
    void a_child_that_was_asked_to_cancel_and_continues_as_new_is_not_asked_again() {
        Map<String, Writer> children = childrenOfEndedParent();
        Writer free = children.get("free");
        assertThat(waiting(free.run())).hasSize(1);
        NewRun next = newRun("free").build();
        write(free, free.step().continuesAs(next));

        store.relay(100);
        makeRoom(children.get("full"));
        assertThat(waiting(next.run())).hasSize(1);
    }
}
