package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ChildOptions;
import dev.durable.ParentClosePolicy;
import dev.durable.ReusePolicy;
import dev.durable.client.Installation.OpenWork;
import dev.durable.client.WorkflowDescription;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.internal.engine.LogCapture;
import dev.durable.store.Adoption;
import dev.durable.store.ChildOutcome;
import dev.durable.store.RunFilter;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import dev.durable.store.contract.Seizures;
import dev.durable.store.contract.StepBuilder;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import dev.durable.store.contract.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests children in PostgreSQL at the points where two transactions meet: the rows of the table in the semantics. */
@Tag("slow")
class ChildRunsTest extends StoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    private Parent parent(String workflowId) {
        return new Parent(store, claimed(workflowId), TYPE, QUEUE);
    }

    private Parent asParent(RunKey run) {
        return new Parent(store, claimed(run), TYPE, QUEUE);
    }

    private static List<String> sql(String query) {
        return Sql.column(PostgresFixture.pool(), query);
    }

    private static long outbox() {
        return Sql.number(PostgresFixture.pool(), "select count(*) from durable.outbox");
    }

    private WorkflowStatus status(RunKey run) {
        return store.run(run.runId()).orElseThrow().status();
    }

    // ── starts ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_child_starts_with_its_parents_columns_and_its_first_event_names_the_parent() {
        Parent parent = parent("order");
        RunKey child = parent.starts("shipping");
        assertThat(store.run(child.runId())).isEmpty();

        relayAll();
        assertThat(sql("select parent_workflow_id || ' ' || parent_number || ' ' || (parent_chain = root_chain)"
                        + " from durable.workflow_run where run_id = '" + child.runId() + "'"))
                .containsExactly("order 1 true");
        assertThat(sql("select parent_policy from durable.run_state where run_id = '" + child.runId() + "'"))
                .containsExactly("1");
        assertThat(history(child).getFirst().attributes()).contains("\"workflowId\":\"order\"", "\"depth\":1");
        assertThat(claimed(child).run()).isEqualTo(child);
        assertThat(outbox()).isZero();
    }

    @Test
    void the_durations_of_a_child_count_from_its_delivery() {
        Parent parent = parent("order");
        RunKey child = parent.starts(
                "shipping",
                ChildOptions.defaults().runTimeout(Duration.ofMinutes(30)).expiresIn(Duration.ofMinutes(20)));
        advance(Duration.ofHours(1));

        relayAll();
        assertThat(sql(
                        "select deadline - expires_at = interval '10 min' and deadline > durable.clock() + interval '29 min'"
                                + " from durable.run_state where run_id = '" + child.runId() + "'"))
                .containsExactly("t");
    }

    @Test
    void a_child_whose_id_is_in_use_or_refused_by_its_reuse_policy_is_not_started_and_the_parent_is_told() {
        RunKey stranger = started("shipping");
        terminated(started("billing"));
        Parent parent = parent("order");
        RunKey first = parent.starts("shipping");
        RunKey second = parent.starts("billing", ChildOptions.defaults().reusePolicy(ReusePolicy.REJECT_DUPLICATE));

        relayAll();
        assertThat(waiting(parent.run()))
                .extracting(InboxMessage::name)
                .containsExactly("ChildStartFailed", "ChildStartFailed");
        assertThat(waiting(parent.run()))
                .extracting(InboxMessage::messageId)
                .containsExactlyInAnyOrder(first.runId(), second.runId());
        assertThat(waiting(parent.run()))
                .extracting(InboxMessage::payload)
                .anyMatch(text -> text.contains("workflow shipping is open: run " + stranger.runId()))
                .anyMatch(text -> text.contains("the reuse policy allows no other run of workflow billing"));
        assertThat(sql("select workflow_id from durable.run_state order by 1")).containsExactly("order", "shipping");
    }

    @Test
    void a_child_whose_parent_has_ended_is_not_started_unless_it_is_abandoned_and_no_line_says_so() {
        Parent parent = parent("order");
        StepBuilder step = parent.writer().step();
        RunKey dependent = parent.starts(step, "a", ParentClosePolicy.TERMINATE);
        RunKey asked = parent.starts(step, "b", ParentClosePolicy.CANCEL);
        RunKey abandoned = parent.starts(step, "c", ParentClosePolicy.ABANDON);
        parent.writer().write(step);
        parent.writer().write(parent.writer().closing());

        try (LogCapture log = LogCapture.named("dev.durable.store")) {
            relayAll();
            assertThat(log.messages()).isEmpty();
        }
        assertThat(store.run(dependent.runId())).isEmpty();
        assertThat(store.run(asked.runId())).isEmpty();
        assertThat(status(abandoned)).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(outbox()).isZero();
    }

    @Test
    void a_run_that_asks_for_a_child_with_its_end_starts_it_only_if_it_is_abandoned() {
        Parent parent = parent("order");
        StepBuilder step = parent.writer().step();
        RunKey dependent = parent.starts(step, "a", ParentClosePolicy.TERMINATE);
        RunKey abandoned = parent.starts(step, "b", ParentClosePolicy.ABANDON);
        assertThat(parent.writer().write(step.closes(WorkflowStatus.COMPLETED))).isEqualTo(Transition.Outcome.APPLIED);

        relayAll();
        assertThat(store.run(dependent.runId())).isEmpty();
        assertThat(status(abandoned)).isEqualTo(WorkflowStatus.RUNNING);
    }

    @Test
    void a_start_whose_parent_is_about_to_end_waits_for_the_next_pass_and_holds_nobody_up() {
        Parent parent = parent("order");
        RunKey child = parent.starts("shipping");
        Parent other = parent("other");
        RunKey otherChild = other.starts("other-child");

        try (Holder closing = Holder.ofRun(parent.run(), "update")) {
            relayAll();
            assertThat(closing.waiters()).isZero();
            assertThat(store.run(child.runId())).isEmpty();
            assertThat(sql("select 1 from durable.run_state where workflow_id = 'shipping'"))
                    .isEmpty();
            assertThat(status(otherChild)).isEqualTo(WorkflowStatus.RUNNING);
        }
        relayAll();
        assertThat(status(child)).isEqualTo(WorkflowStatus.RUNNING);
    }

    @Test
    void the_end_of_a_parent_waits_for_the_start_of_its_child_and_then_ends_it() {
        Parent parent = parent("order");
        RunKey child = parent.starts("shipping");
        Meanwhile<Boolean> relay;
        Meanwhile<Transition.Outcome> closing;
        try (Holder event = Holder.ofEvent(child, 1)) {
            relay = Meanwhile.of(() -> {
                relayAll();
                return true;
            });
            event.awaitWaiter();
            closing = Meanwhile.of(() -> parent.writer().write(parent.writer().closing()));
        }
        relay.get();
        if (closing.get() == Transition.Outcome.LOCKED) {
            parent.writer().write(parent.writer().closing());
        }
        relayAll();

        assertThat(status(parent.run())).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(store.run(child.runId()).stream())
                .allSatisfy(run -> assertThat(run.status()).isEqualTo(WorkflowStatus.TERMINATED));
    }

    @Test
    void a_child_whose_id_is_being_started_in_an_open_transaction_waits_and_holds_nobody_up() {
        Parent parent = parent("order");
        RunKey stuck = parent.starts("shipping");
        RunKey free = parent.starts("billing");

        try (Holder other = Holder.open()) {
            other.start(newRun("shipping").build());
            relayAll();
            assertThat(status(free)).isEqualTo(WorkflowStatus.RUNNING);
            assertThat(store.run(stuck.runId())).isEmpty();
        }
        relayAll();
        assertThat(status(stuck)).isEqualTo(WorkflowStatus.RUNNING);
    }

    @Test
    void messages_to_a_child_come_behind_its_start_and_those_to_a_child_that_was_refused_are_dropped() {
        RunKey stranger = started("taken");
        Parent parent = parent("order");
        RunKey child = parent.starts("shipping");
        RunKey refused = parent.starts("taken");
        parent.tells(1, child, MessageKind.SIGNAL, "ChildSignalRequested", "[]");
        parent.tells(2, refused, MessageKind.SIGNAL, "ChildSignalRequested", "[]");
        parent.tells(1, child, MessageKind.CHILD_WATCH, "ChildStartWatched", "{\"number\":1}");
        parent.tells(2, refused, MessageKind.CHILD_WATCH, "ChildStartWatched", "{\"number\":2}");

        relayAll();
        assertThat(waitingNames(child)).containsExactly("SIGNAL");
        assertThat(waiting(stranger)).isEmpty();
        assertThat(waiting(parent.run()))
                .extracting(InboxMessage::name, InboxMessage::payload)
                .anySatisfy(told -> assertThat(told.toList()).containsExactly("ChildStarted", "{\"number\":1}"))
                .hasSize(2);
        assertThat(outbox()).isZero();
    }

    @Test
    void a_question_for_the_start_of_a_child_whose_first_run_retention_has_removed_is_answered() {
        Parent parent = parent("order");
        RunKey child = parent.starts("shipping");
        RunKey other = parent.starts("billing");
        relayAll();
        Writer first = claimed(child);
        first.write(first.step().continuesAs(newRun("shipping").build()));
        terminated(other);
        String removed = " where run_id in ('" + child.runId() + "', '" + other.runId() + "')";
        Sql.execute(
                PostgresFixture.pool(),
                "delete from durable.workflow_run" + removed
                        + "; set session_replication_role = replica; delete from durable.history_event" + removed
                        + "; reset session_replication_role");
        parent.tells(1, child, MessageKind.CHILD_WATCH, "ChildStartWatched", "{\"number\":1}");
        parent.tells(2, other, MessageKind.CHILD_WATCH, "ChildStartWatched", "{\"number\":2}");

        relayAll();
        assertThat(waiting(parent.run()))
                .extracting(InboxMessage::name, InboxMessage::payload)
                .anySatisfy(told -> assertThat(told.toList()).containsExactly("ChildStarted", "{\"number\":1}"))
                .noneSatisfy(told -> assertThat(told.toList()).containsExactly("ChildStarted", "{\"number\":2}"));
        assertThat(outbox()).isZero();
    }

    // ── outcomes ────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void whatever_ends_a_child_tells_its_parent_once_with_the_text_of_all_stores() {
        Parent parent = parent("order");
        List<RunKey> children = new ArrayList<>();
        StepBuilder step = parent.writer().step();
        for (int i = 1; i <= 9; i++) {
            children.add(parent.starts(
                    step, "child-" + i, ChildOptions.defaults().runTimeout(Duration.ofMinutes(i == 9 ? 1 : 1000))));
        }
        parent.writer().write(step);
        relayAll();
        List<Writer> writers = claimRuns(session).stream().map(this::writer).toList();

        List<Transition> allClose = List.of(
                closing(writers, children.get(0)).build(),
                writer(writers, children.get(1))
                        .step()
                        .closes(WorkflowStatus.FAILED)
                        .build());
        assertThat(store.commit(allClose)).containsOnly(Transition.Outcome.APPLIED);
        Writer bystander = claimed("bystander");
        assertThat(store.commit(List.of(
                        closing(writers, children.get(2)).build(),
                        bystander.step().build())))
                .containsOnly(Transition.Outcome.APPLIED);
        assertThat(store.commit(List.of(
                        writer(writers, children.get(3))
                                .step()
                                .closes(WorkflowStatus.CANCELLED)
                                .build(),
                        bystander.zombie().step().build())))
                .containsExactly(Transition.Outcome.APPLIED, Transition.Outcome.FENCE_LOST);
        assertThat(writer(writers, children.get(4)).write(closing(writers, children.get(4))))
                .isEqualTo(Transition.Outcome.APPLIED);
        terminated(children.get(5));
        Writer withJob = writer(writers, children.get(6));
        withJob.write(withJob.step().schedules(1));
        assertThat(withJob.write(withJob.closing())).isEqualTo(Transition.Outcome.APPLIED);
        assertThat(store.patient()
                        .commit(List.of(closing(writers, children.get(7)).build())))
                .containsOnly(Transition.Outcome.APPLIED);
        advance(Duration.ofMinutes(2));
        assertThat(store.seize(Seizures.timeOut(children.get(8)))).contains(children.get(8));

        relayAll();
        assertThat(waiting(parent.run())).hasSize(9);
        for (int i = 0; i < 9; i++) {
            RunKey child = children.get(i);
            var row = store.run(child.runId()).orElseThrow();
            InboxMessage expected = ChildOutcome.ended(child.runId(), i + 1, row.status(), row.result(), row.failure());
            assertThat(waiting(parent.run()))
                    .filteredOn(told -> told.messageId().equals(child.runId()))
                    .singleElement()
                    .returns(expected.kind(), InboxMessage::kind)
                    .returns(expected.name(), InboxMessage::name)
                    .returns(expected.payload(), InboxMessage::payload);
        }
        assertThat(outbox()).isZero();
    }

    private static Writer writer(List<Writer> writers, RunKey run) {
        return writers.stream().filter(w -> w.run().equals(run)).findFirst().orElseThrow();
    }

    private static StepBuilder closing(List<Writer> writers, RunKey run) {
        return writer(writers, run).closing();
    }

    @Test
    void the_end_of_a_run_without_a_parent_and_without_children_writes_nothing_for_them() {
        Writer run = claimed("order");
        run.write(run.closing());
        terminated(started("other"));
        assertThat(outbox()).isZero();
    }

    @Test
    void outcomes_come_into_a_full_inbox_and_into_one_of_a_run_that_closes_and_refuse_no_close() {
        Parent parent = parent("order");
        RunKey child = parent.starts("shipping");
        relayAll();
        Writer ending = claimed(child);
        ending.write(ending.closing());
        int limit = fixture.inboxLimit().messages();
        IntStream.range(0, limit).forEach(i -> signalled(parent.run(), "s" + i));
        assertThat(parent.writer().write(parent.writer().closing().byForce()))
                .isEqualTo(Transition.Outcome.CLOSE_REFUSED);

        relayAll();
        assertThat(waitingNames(parent.run())).hasSize(limit + 1).contains("ChildCompleted");
        StepBuilder last = parent.writer().step();
        waiting(parent.run()).stream()
                .filter(message -> message.kind() == MessageKind.SIGNAL)
                .forEach(last::consumes);
        assertThat(parent.writer().write(last.closes(WorkflowStatus.COMPLETED))).isEqualTo(Transition.Outcome.APPLIED);
        relayAll();
        assertThat(outbox()).isZero();
    }

    @Test
    void outcomes_do_not_count_for_the_limit_of_an_inbox_nor_as_dropped_messages() {
        Parent parent = parent("order");
        int limit = fixture.inboxLimit().messages();
        StepBuilder step = parent.writer().step();
        IntStream.rangeClosed(0, limit).forEach(i -> parent.starts(step, "child-" + i, ParentClosePolicy.ABANDON));
        parent.writer().write(step);
        relayAll();
        List<Writer> children =
                claimRuns(session, 200).stream().map(this::writer).toList();
        store.commit(children.stream().map(child -> child.closing().build()).toList());
        relayAll();

        assertThat(waiting(parent.run())).hasSize(limit + 1);
        signalled(parent.run(), "one");
        terminated(parent.run());
        assertThat(history(parent.run()).getLast().attributes()).contains("\"droppedMessages\":1");
    }

    @Test
    void an_outcome_does_not_overtake_the_childs_own_messages() {
        Parent parent = parent("order");
        RunKey key = parent.starts("shipping");
        relayAll();
        Writer child = claimed(key);
        int limit = fixture.inboxLimit().messages();
        IntStream.range(0, limit).forEach(i -> signalled(parent.run(), "s" + i));
        child.write(child.step().sends(1, "order", "sent").closes(WorkflowStatus.COMPLETED));

        relayAll();
        assertThat(waitingNames(parent.run())).hasSize(limit).doesNotContain("ChildCompleted");
        StepBuilder consuming = parent.writer().step();
        waiting(parent.run()).forEach(consuming::consumes);
        parent.writer().write(consuming);
        relayAll();
        assertThat(waitingNames(parent.run())).containsExactly("sent", "ChildCompleted");
    }

    // ── the end of a parent ─────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void the_end_of_a_parent_ends_each_open_child_by_its_policy_and_so_on_below() {
        Parent parent = parent("order");
        StepBuilder step = parent.writer().step();
        int each = 60;
        List<RunKey> terminated = IntStream.range(0, each)
                .mapToObj(i -> parent.starts(step, "t" + i, ParentClosePolicy.TERMINATE))
                .toList();
        List<RunKey> asked = IntStream.range(0, each)
                .mapToObj(i -> parent.starts(step, "c" + i, ParentClosePolicy.CANCEL))
                .toList();
        RunKey abandoned = parent.starts(step, "a", ParentClosePolicy.ABANDON);
        parent.writer().write(step);
        relayAll();
        Parent middle = asParent(terminated.getFirst());
        RunKey grandchild = middle.starts("grandchild");
        relayAll();
        terminated(parent.run());

        relayAll();
        assertThat(terminated).extracting(this::status).containsOnly(WorkflowStatus.TERMINATED);
        assertThat(status(grandchild)).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(history(terminated.getLast()).getLast().attributes()).contains("workflow order");
        assertThat(asked).extracting(this::status).containsOnly(WorkflowStatus.RUNNING);
        assertThat(asked)
                .allSatisfy(child ->
                        assertThat(waiting(child)).singleElement().returns(MessageKind.CANCEL, InboxMessage::kind));
        assertThat(status(abandoned)).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(waiting(abandoned)).isEmpty();
        assertThat(outbox()).isZero();
        relayAll();
        assertThat(waiting(asked.getFirst())).hasSize(1);
    }

    @Test
    void a_child_that_is_locked_when_its_parent_ends_is_ended_later_as_the_order_stands() {
        Parent parent = parent("order");
        StepBuilder step = parent.writer().step();
        RunKey locked = parent.starts(step, "locked", ParentClosePolicy.TERMINATE);
        RunKey free = parent.starts(step, "free", ParentClosePolicy.TERMINATE);
        parent.writer().write(step);
        relayAll();
        try (Holder stepping = Holder.ofRun(locked, "no key update")) {
            parent.writer().write(parent.writer().closing());
            relayAll();
            assertThat(stepping.waiters()).isZero();
            assertThat(status(free)).isEqualTo(WorkflowStatus.TERMINATED);
            assertThat(status(locked)).isEqualTo(WorkflowStatus.RUNNING);
            assertThat(outbox()).isOne();
        }
        relayAll();
        assertThat(status(locked)).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(outbox()).isZero();
    }

    @Test
    void an_order_that_was_carried_out_in_part_is_carried_on_by_another_process() {
        Parent parent = parent("order");
        StepBuilder step = parent.writer().step();
        List<RunKey> children = IntStream.range(0, 120)
                .mapToObj(i -> parent.starts(step, "t" + i, ParentClosePolicy.TERMINATE))
                .toList();
        parent.writer().write(step);
        relayAll();
        parent.writer().write(parent.writer().closing());

        assertThat(store.relay(1).gone()).isEqualTo(50);
        try (Holder other = Holder.of("select 1 from durable.outbox for update")) {
            assertThat(store.relay(100).gone()).as("another process is at it").isZero();
            assertThat(other.waiters()).isZero();
        }
        try (PostgresHistoryStore other = PostgresHistoryStore.of(PostgresFixture.pool())) {
            other.open();
            while (other.relay(100).gone() > 0) {}
        }
        assertThat(children).extracting(this::status).containsOnly(WorkflowStatus.TERMINATED);
        assertThat(outbox()).isZero();
    }

    @Test
    void a_child_that_is_terminated_by_its_parent_is_terminated_behind_its_start_and_tells_so() {
        Parent parent = parent("order");
        RunKey child = parent.starts("shipping");
        parent.tells(1, child, MessageKind.CHILD_TERMINATE, "ChildCancelRequested", "{}");
        RunKey closed = parent.starts("closed");
        relayAll();
        Writer ending = claimed(closed);
        ending.write(ending.closing());
        parent.tells(2, closed, MessageKind.CHILD_TERMINATE, "ChildCancelRequested", "{}");

        relayAll();
        assertThat(status(child)).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(status(closed)).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(waitingNames(parent.run())).containsExactlyInAnyOrder("ChildFailed", "ChildCompleted");
        assertThat(outbox()).isZero();
    }

    // ── reads ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void children_are_listed_by_their_parent_and_by_the_root_of_their_tree_and_described_with_them() {
        Parent parent = parent("order");
        RunKey child = parent.starts("shipping");
        RunKey ended = parent.starts("billing");
        relayAll();
        Parent middle = asParent(child);
        RunKey grandchild = middle.starts("parcel", parent.run());
        relayAll();
        terminated(ended);
        started("stranger");

        assertThat(listed(RunFilter.ALL.parent(parent.chain()))).containsExactlyInAnyOrder("shipping", "billing");
        assertThat(listed(RunFilter.ALL.parent(child.runId()))).containsExactly("parcel");
        assertThat(listed(RunFilter.ALL.root(parent.chain())))
                .containsExactlyInAnyOrder("shipping", "billing", "parcel");
        assertThat(listed(RunFilter.ALL.root(parent.chain()).statuses(Set.of(WorkflowStatus.TERMINATED))))
                .containsExactly("billing");
        assertThat(store.count(RunFilter.ALL.root(parent.chain()), 10)).isEqualTo(3);
        assertThat(details(grandchild).parent())
                .isEqualTo(new WorkflowDescription.Parent("shipping", child.runId(), 1, parent.chain()));
        assertThat(details(parent.run()).parent()).isNull();
    }

    private List<String> listed(RunFilter filter) {
        return store.runs(filter, 10).stream()
                .map(run -> run.run().workflowId())
                .toList();
    }

    @Test
    void an_adoption_that_cancels_open_work_leaves_neither_outcomes_nor_orders() {
        Parent parent = parent("order");
        RunKey child = parent.starts("shipping");
        relayAll();
        parent.starts("late");

        try (PostgresHistoryStore owner = PostgresHistoryStore.of(PostgresFixture.pool())) {
            owner.open();
            owner.adopt(new Adoption("copy", OpenWork.CANCEL, "ann", Seizures::terminate));
        }
        assertThat(status(child)).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(outbox()).isZero();
        Sql.execute(PostgresFixture.pool(), "update durable.installation set name = null");
    }
}
