package dev.durable.store.contract;

import static dev.durable.store.Transition.Outcome.APPLIED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.ChildOptions;
import dev.durable.ParentClosePolicy;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.NewRun;
import dev.durable.store.ReadBack;
import dev.durable.store.RunKey;
import dev.durable.store.RunPause;
import dev.durable.store.Transition;
import dev.durable.store.contract.FaultyStore.Fault;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Messages, children, links and attempts together: a relay that comes late, targets and parents that continue, are paused or
 * stalled, and answers that are lost. {@code docs/conformance.md} has the table.
 */
abstract class CompositionContract extends StoreContract {
    private static final ChildOptions DEFAULTS = ChildOptions.defaults();

    /** The state into which a run comes before a message, or an outcome of a child, reaches it. */
    enum Meanwhile {
        PAUSED,
        STALLED,
        CONTINUED,
        RETRIED
    }

    /** Does that to a run; returns the one that is open then. */
    private RunKey befalls(Writer writer, Meanwhile what) {
        RunKey run = writer.run();
        return switch (what) {
            case PAUSED -> {
                assertThat(store.pause(new RunPause(
                                run.workflowId(),
                                null,
                                true,
                                UUID.randomUUID(),
                                "WorkflowPaused",
                                "{\"informing\":true}",
                                "ann")))
                        .isTrue();
                yield run;
            }
            case STALLED -> {
                assertThat(writer.write(writer.step().stalls("differs", Duration.ofHours(1)))
                                .isApplied())
                        .isTrue();
                yield run;
            }
            case CONTINUED -> continued(writer).run();
            case RETRIED -> {
                NewRun next = newRun(run.workflowId())
                        .started("{\"attempt\":{\"number\":2}}")
                        .startDelay(Duration.ofHours(1))
                        .build();
                assertThat(writer.write(writer.step().retriedAs(next))).isEqualTo(APPLIED);
                yield next.run();
            }
        };
    }

    private NewRun continued(Writer writer) {
        NewRun next = newRun(writer.run().workflowId()).build();
        assertThat(writer.write(writer.step().continuesAs(next))).isEqualTo(APPLIED);
        return next;
    }

    private WorkflowStatus status(String workflowId) {
        return store.latestRun(workflowId).orElseThrow().status();
    }

    private List<String> news(RunKey parent) {
        return waiting(parent).stream().map(InboxMessage::name).toList();
    }

    // ── something has become of the target meanwhile ────────────────────────────────────────────────────────────────

    @ParameterizedTest
    @EnumSource(Meanwhile.class)
    void a_message_of_code_reaches_its_target_whatever_has_become_of_it_meanwhile(Meanwhile what) {
        Writer target = claimed("target");
        Writer source = claimed("source");
        write(source, source.step().sends(1, "target", "a"));
        RunKey open = befalls(target, what);

        relayUntilEmpty();
        assertThat(waitingNames(open)).containsExactly("a");
    }

    @ParameterizedTest
    @EnumSource(Meanwhile.class)
    void the_outcome_of_a_child_reaches_its_parent_whatever_has_become_of_it_meanwhile(Meanwhile what) {
        RunKey child = child("child");
        // A failed attempt ends the other children.
        Writer parent = parentOf(child, DEFAULTS.parentClosePolicy(ParentClosePolicy.ABANDON));
        RunKey open = befalls(parent, what);
        terminated(child);

        relayUntilEmpty();
        assertThat(news(open)).containsExactly("ChildFailed");
    }

    @Test
    void the_outcome_of_a_child_that_waits_moves_along_with_its_parent() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        terminated(child);
        relayUntilEmpty();

        assertThat(news(continued(parent).run())).containsExactly("ChildFailed");
    }

    @ParameterizedTest
    @EnumSource(Meanwhile.class)
    void messages_of_a_parent_reach_its_child_whatever_has_become_of_it_and_no_stranger(Meanwhile what) {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        RunKey open = befalls(claimed(child), what);
        write(parent, parent.step().sendsToChild(2, 1, child, "a"));

        relayUntilEmpty();
        assertThat(waitingNames(open)).containsExactly("a");
        terminated(open);
        RunKey stranger = started("child");
        write(parent, parent.step().sendsToChild(3, 1, child, "b"));
        relayUntilEmpty();
        assertThat(waiting(stranger)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Meanwhile.class)
    void the_end_of_a_parent_ends_a_child_whatever_has_become_of_it(Meanwhile what) {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        befalls(claimed(child), what);
        write(parent, parent.closing());

        relayUntilEmpty();
        assertThat(status("child")).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void a_child_tells_its_parent_the_end_of_its_chain_once_and_of_no_link_or_attempt_before() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        RunKey second = continued(claimed(child)).run();
        NewRun third = newRun("child").started("{\"attempt\":{\"number\":2}}").build();
        Writer failing = claimed(second);
        assertThat(failing.write(failing.step().retriedAs(third))).isEqualTo(APPLIED);
        relayUntilEmpty();
        assertThat(waiting(parent.run())).isEmpty();

        Writer last = claimed(third.run());
        write(last, last.closing());
        relayUntilEmpty();
        InboxMessage outcome = waiting(parent.run()).getFirst();
        HistoryEvent event = EventJson.decode(
                new StoredEvent(1, outcome.name(), store.now(), outcome.messageId(), outcome.payload()));
        assertThat(event)
                .isInstanceOfSatisfying(
                        HistoryEvent.ChildClosed.class,
                        closed -> assertThat(closed.number()).isEqualTo(1));
        assertThat(outcome.messageId()).isEqualTo(child.runId());
        assertThat(news(parent.run())).containsExactly("ChildCompleted");
    }

    // ── the relay comes late ────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void messages_of_two_runs_of_a_chain_arrive_in_their_order() {
        RunKey target = started("target");
        Writer first = claimed("source");
        write(first, first.step().sends(1, "target", "a").sends(2, "target", "b"));
        Writer second = claimed(continued(first).run());
        write(second, second.step().ofChain(first.run()).sends(3, "target", "c"));

        while (store.relay(1).gone() > 0) {
            assertThat(List.of("a", "b", "c")).startsWith(waitingNames(target).toArray(new String[0]));
        }
        assertThat(waitingNames(target)).containsExactly("a", "b", "c");
    }

    @Test
    void what_the_next_run_sends_to_a_child_comes_behind_the_start_that_the_run_before_has_asked_for() {
        RunKey child = child("child");
        Writer first = claimed("parent");
        write(first, first.step().startsChild(1, child, DEFAULTS));
        Writer second = claimed(continued(first).run());
        write(second, second.step().ofChain(first.run()).sendsToChild(2, 1, child, "a"));

        relayUntilEmpty();
        assertThat(waitingNames(child)).containsExactly("a");
        assertThat(waiting(second.run())).isEmpty();
        write(second, second.closing());
        relayUntilEmpty();
        assertThat(status("child")).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void a_child_for_which_a_failed_attempt_has_asked_belongs_to_the_next_attempt() {
        RunKey child = child("child");
        Writer parent = claimed("parent");
        write(parent, parent.step().startsChild(1, child, DEFAULTS.parentClosePolicy(ParentClosePolicy.ABANDON)));
        RunKey next = befalls(parent, Meanwhile.RETRIED);

        relayUntilEmpty();
        assertThat(status("child")).isEqualTo(WorkflowStatus.RUNNING);
        terminated(child);
        relayUntilEmpty();
        assertThat(news(next)).containsExactly("ChildFailed");
    }

    // ── the answer is lost ──────────────────────────────────────────────────────────────────────────────────────────

    /** Commits it as a lane does, when the answer of the first try is lost. */
    private void commit(Transition step, Fault fault) {
        FaultyStore faulty = FaultyStore.over(store);
        faulty.next("commit", fault);
        assertThatThrownBy(() -> faulty.store().commit(List.of(step))).isInstanceOf(CommitUnknownException.class);
        ReadBack.Outcome happened = store.readBack(
                        List.of(new ReadBack(step.run(), step.fences().next(), step.nextEventId())))
                .getFirst();
        assertThat(happened)
                .isEqualTo(fault == Fault.DONE_BUT_UNKNOWN ? ReadBack.Outcome.HAPPENED : ReadBack.Outcome.NOT_HAPPENED);
        assertThat(store.commit(List.of(step)))
                .containsExactly(
                        fault == Fault.DONE_BUT_UNKNOWN ? Transition.Outcome.FENCE_LOST : Transition.Outcome.APPLIED);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"DONE_BUT_UNKNOWN", "NOT_DONE_AND_UNKNOWN"})
    void what_a_step_sends_and_starts_happens_once_though_its_answer_is_lost(Fault fault) {
        RunKey target = started("target");
        Writer parent = claimed("parent");
        RunKey child = child("child");
        commit(
                parent.step()
                        .sends(1, "target", "a")
                        .startsChild(2, child, DEFAULTS)
                        .sendsToChild(3, 2, child, "b")
                        .build(),
                fault);

        relayUntilEmpty();
        assertThat(waitingNames(target)).containsExactly("a");
        assertThat(waitingNames(child)).containsExactly("b");
        assertThat(waiting(parent.run())).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"DONE_BUT_UNKNOWN", "NOT_DONE_AND_UNKNOWN"})
    void the_end_of_a_child_is_told_once_though_its_answer_is_lost(Fault fault) {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        Writer writer = claimed(child);
        commit(writer.closing().build(), fault);

        relayUntilEmpty();
        assertThat(news(parent.run())).containsExactly("ChildCompleted");
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"DONE_BUT_UNKNOWN", "NOT_DONE_AND_UNKNOWN"})
    void a_run_continues_once_with_all_that_waits_though_its_answer_is_lost(Fault fault) {
        Writer writer = claimed("order-1");
        signalled(writer.run(), "waits");
        NewRun next = newRun("order-1").build();
        commit(writer.step().continuesAs(next).build(), fault);

        assertThat(store.latestRun("order-1").orElseThrow().run()).isEqualTo(next.run());
        assertThat(waitingNames(next.run())).containsExactly("waits");
        assertThat(eventTypes(writer.run())).containsExactly("WorkflowStarted", "WorkflowContinuedAsNew");
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"DONE_BUT_UNKNOWN", "NOT_DONE_AND_UNKNOWN"})
    void an_attempt_is_followed_once_though_its_answer_is_lost(Fault fault) {
        Writer writer = claimed("order-1");
        signalled(writer.run(), "waits");
        NewRun next = newRun("order-1").started("{\"attempt\":{\"number\":2}}").build();
        commit(writer.step().retriedAs(next).build(), fault);

        assertThat(store.latestRun("order-1").orElseThrow().run()).isEqualTo(next.run());
        assertThat(waitingNames(next.run())).containsExactly("waits");
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"DONE_BUT_UNKNOWN", "NOT_DONE_AND_UNKNOWN"})
    void what_a_relay_delivers_happens_once_though_its_answer_is_lost(Fault fault) {
        RunKey target = started("target");
        RunKey child = child("child");
        RunKey orphan = child("orphan");
        Writer ending = claimed("ending");
        write(ending, ending.step().startsChild(1, orphan, DEFAULTS));
        relayUntilEmpty();
        Writer parent = claimed("parent");
        write(parent, parent.step().sends(1, "target", "a").startsChild(2, child, DEFAULTS));
        write(ending, ending.closing());
        FaultyStore faulty = FaultyStore.over(store);
        faulty.next("relay", fault, fault, fault);

        for (int lost = 0; lost < 3; lost++) {
            assertThatThrownBy(() -> faulty.store().relay(100)).isInstanceOf(CommitUnknownException.class);
        }
        relayUntilEmpty();
        assertThat(waitingNames(target)).containsExactly("a");
        assertThat(status("child")).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(history(child)).hasSize(1);
        assertThat(waiting(parent.run())).isEmpty();
        assertThat(status("orphan")).isEqualTo(WorkflowStatus.TERMINATED);
    }

    // ── updates ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @ParameterizedTest
    @EnumSource(Meanwhile.class)
    void an_update_that_waits_is_there_for_whichever_run_is_open(Meanwhile what) {
        Writer writer = claimed("order-1");
        InboxMessage update = new InboxMessage(UUID.randomUUID(), MessageKind.UPDATE, "redirect", "{}", null, null);
        deliver("order-1", update);

        RunKey open = befalls(writer, what);
        assertThat(waiting(open)).extracting(InboxMessage::messageId).containsExactly(update.messageId());
    }
}
