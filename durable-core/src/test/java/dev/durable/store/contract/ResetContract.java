package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ChildOptions;
import dev.durable.ParentClosePolicy;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ChildCompleted;
import dev.durable.history.ChildFailed;
import dev.durable.history.ChildStartFailed;
import dev.durable.history.ChildStarted;
import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.store.AuditFilter;
import dev.durable.store.ClaimedJob;
import dev.durable.store.Delivery;
import dev.durable.store.NewRun;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.RunKey;
import dev.durable.store.RunMove;
import dev.durable.store.RunPause;
import dev.durable.store.RunRecord;
import dev.durable.store.RunReset;
import dev.durable.store.RunReset.Outcome;
import dev.durable.store.Served;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Resets: forks that take the places of runs. */
abstract class ResetContract extends StoreContract {
    private static final ChildOptions DEFAULTS = ChildOptions.defaults();
    private static final RunReset.Closed CLOSED =
            new RunReset.Closed("{\"reason\":\"forked\",\"by\":\"ann\"}", "{\"type\":\"dev.durable.Terminated\"}");

    /** A reset of a run behind its first events, as a client makes it that has just read the history. */
    private final class ResetBuilder {
        private final RunRecord replaced;
        private final NewRunBuilder fork;
        private long nextEventId;
        private final List<RunReset.Child> children = new ArrayList<>();
        private final List<OutgoingMessage> sends = new ArrayList<>();

        ResetBuilder(RunKey run, long events, InboxMessage... messages) {
            replaced = store.run(run.runId()).orElseThrow();
            fork = newRun(run.workflowId()).forks(run, events, messages);
            nextEventId = history(run).size() + 1L;
        }

        RunKey key() {
            return fork.key();
        }

        ResetBuilder schedulesAgain(int seq) {
            fork.schedulesAgain(Outcomes.job(seq, store.now()));
            return this;
        }

        ResetBuilder read(long upTo) {
            nextEventId = upTo + 1;
            return this;
        }

        ResetBuilder isChild(RunKey parent, long number) {
            fork.child(parent, number, ParentClosePolicy.TERMINATE);
            return this;
        }

        ResetBuilder awaits(long number, RunKey child, ParentClosePolicy policy, InboxMessage known) {
            children.add(new RunReset.Child(number, child.workflowId(), child.runId(), policy, false, known));
            return this;
        }

        ResetBuilder awaitsStart(long number, RunKey child) {
            children.add(new RunReset.Child(
                    number, child.workflowId(), child.runId(), ParentClosePolicy.TERMINATE, true, null));
            return this;
        }

        ResetBuilder awaits(long number, RunKey child) {
            return awaits(number, child, ParentClosePolicy.TERMINATE, null);
        }

        ResetBuilder terminates(long message, RunKey child) {
            sends.add(OutgoingMessage.toChain(
                    replaced.links().chainId(),
                    message,
                    child.workflowId(),
                    child.runId(),
                    MessageKind.CHILD_TERMINATE,
                    "Reset",
                    "{}"));
            return this;
        }

        RunReset build() {
            return new RunReset(fork.build(), replaced.links().chainId(), nextEventId, CLOSED, children, sends);
        }

        Outcome send() {
            return store.reset(build());
        }
    }

    private ResetBuilder reset(RunKey run, long events) {
        return new ResetBuilder(run, events);
    }

    private RunRecord row(RunKey run) {
        return store.run(run.runId()).orElseThrow();
    }

    /** A run whose history is WorkflowStarted, ActivityScheduled, SideEffectRecorded. */
    private Writer origin() {
        Writer origin = scheduled("order-1", 1);
        write(origin, origin.step().event("SideEffectRecorded", "{\"value\":7}"));
        return origin;
    }

    private HistoryEvent news(RunKey parent) {
        InboxMessage message = waiting(parent).getFirst();
        assertThat(message.kind()).isEqualTo(MessageKind.CHILD_OUTCOME);
        return EventJson.decode(
                new StoredEvent(1, message.name(), store.now(), message.messageId(), message.payload()));
    }

    // ── the run ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_open_run_is_terminated_and_its_fork_goes_on_in_its_place() {
        Writer origin = origin();
        List<StoredEvent> before = history(origin.run());
        ResetBuilder reset = reset(origin.run(), 2).schedulesAgain(1);

        assertThat(reset.send()).isEqualTo(Outcome.DONE);

        RunRecord replaced = row(origin.run());
        assertThat(replaced.status()).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(replaced.links().next()).isEqualTo(reset.key().runId());
        assertThat(eventTypes(origin.run()).getLast()).isEqualTo("WorkflowTerminated");
        RunRecord fork = row(reset.key());
        assertThat(fork.status()).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(fork.links().chainId()).isEqualTo(origin.run().runId());
        assertThat(fork.links().previous()).isEqualTo(origin.run().runId());
        assertThat(fork.startedAt()).isAfter(replaced.startedAt());
        assertThat(store.latestRun("order-1").orElseThrow().run()).isEqualTo(reset.key());
        assertThat(history(reset.key()).subList(0, 2)).isEqualTo(before.subList(0, 2));
        assertThat(eventTypes(reset.key())).containsExactly("WorkflowStarted", "ActivityScheduled", "WorkflowForked");
        assertThat(jobStates(reset.key())).isEqualTo(Map.of(1, "ready"));
        Writer goesOn = claimed(reset.key());
        assertThat(goesOn.nextEventId()).isEqualTo(4);
        write(goesOn, goesOn.step().event("SideEffectRecorded", "{}"));
        assertThat(store.closed(List.of(origin.run().runId())))
                .as("callers that wait for the original go on with the fork")
                .singleElement()
                .satisfies(closed ->
                        assertThat(closed.next()).isEqualTo(reset.key().runId()));
    }

    @Test
    void the_holder_of_a_run_that_is_reset_can_write_nothing_any_more() {
        Writer origin = origin();
        ClaimedJob running = claimJob(session);
        assertThat(reset(origin.run(), 2).schedulesAgain(1).send()).isEqualTo(Outcome.DONE);

        assertThat(origin.write(origin.step().event("SideEffectRecorded", "{}")))
                .isEqualTo(Transition.Outcome.FENCE_LOST);
        update(completed(running));
        RunKey fork = store.latestRun("order-1").orElseThrow().run();
        assertThat(waiting(fork)).as("a late outcome is stale").isEmpty();
        assertThat(jobStates(fork)).isEqualTo(Map.of(1, "ready"));
    }

    @Test
    void a_closed_run_stays_as_it_is_and_its_chain_goes_on() {
        Writer origin = origin();
        write(origin, origin.step().cancels(1).closes(WorkflowStatus.COMPLETED, "{\"result\":7}"));
        List<StoredEvent> before = history(origin.run());
        ResetBuilder reset = reset(origin.run(), 2).schedulesAgain(1);

        assertThat(reset.send()).isEqualTo(Outcome.DONE);

        RunRecord replaced = row(origin.run());
        assertThat(replaced.status()).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(replaced.links().next()).isEqualTo(reset.key().runId());
        assertThat(history(origin.run())).isEqualTo(before);
        RunRecord fork = row(reset.key());
        assertThat(fork.links().chainId()).isEqualTo(origin.run().runId());
        assertThat(fork.startedAt()).isAfter(replaced.startedAt());
        assertThat(eventTypes(reset.key())).containsExactly("WorkflowStarted", "ActivityScheduled", "WorkflowForked");
        Writer goesOn = claimed(reset.key());
        write(goesOn, goesOn.step().event("SideEffectRecorded", "{}"));
        assertThat(deliver(origin.run(), signal("to the chain"))).isEqualTo(Delivery.Outcome.ACCEPTED);
        assertThat(waitingNames(reset.key())).containsExactly("to the chain");
    }

    @Test
    void failed_and_terminated_runs_are_reset_and_their_forks_are_first_attempts() {
        for (String id : List.of("failed", "terminated")) {
            Writer origin = scheduled(id, 1);
            if (id.equals("failed")) {
                write(origin, origin.step().cancels(1).closes(WorkflowStatus.FAILED, "{}"));
            } else {
                terminated(origin.run());
            }
            ResetBuilder reset = reset(origin.run(), 1);
            assertThat(reset.send()).isEqualTo(Outcome.DONE);
            assertThat(row(reset.key()).links().attempt()).isEqualTo(1);
            claimed(reset.key());
        }
    }

    @Test
    void a_reset_that_is_sent_again_is_the_same_run() {
        Writer origin = origin();
        RunReset reset = reset(origin.run(), 2).schedulesAgain(1).build();
        assertThat(store.reset(reset)).isEqualTo(Outcome.DONE);
        assertThat(store.reset(reset)).isEqualTo(Outcome.DONE);
        assertThat(history(reset.fork().run())).hasSize(3);

        terminated(reset.fork().run());
        assertThat(store.reset(reset)).isEqualTo(Outcome.DONE);

        RunReset ofClosed = reset(reset.fork().run(), 1).build();
        assertThat(store.reset(ofClosed)).isEqualTo(Outcome.DONE);
        assertThat(store.reset(ofClosed)).isEqualTo(Outcome.DONE);
        assertThat(row(ofClosed.fork().run()).status()).isEqualTo(WorkflowStatus.RUNNING);
    }

    @Test
    void a_run_that_has_gone_on_since_it_was_read_is_not_reset() {
        Writer origin = origin();
        assertThat(reset(origin.run(), 2).read(2).send()).isEqualTo(Outcome.CHANGED);
        assertThat(row(origin.run()).status()).isEqualTo(WorkflowStatus.RUNNING);

        ResetBuilder beforeTheEnd = reset(origin.run(), 2);
        terminated(origin.run());
        assertThat(beforeTheEnd.send()).isEqualTo(Outcome.CHANGED);

        ResetBuilder first = reset(origin.run(), 1);
        ResetBuilder second = reset(origin.run(), 1);
        assertThat(first.send()).isEqualTo(Outcome.DONE);
        assertThat(second.send()).as("another fork has the place").isEqualTo(Outcome.CHANGED);
        terminated(first.key());
        assertThat(second.send()).as("and has closed").isEqualTo(Outcome.CHANGED);
        assertThat(store.unknown(List.of(second.key().runId())))
                .containsExactly(second.key().runId());
    }

    @Test
    void a_reset_of_events_that_are_not_there_writes_nothing() {
        Writer origin = origin();
        ResetBuilder beyond = reset(origin.run(), 4);

        assertThat(beyond.send()).isEqualTo(Outcome.GONE);

        assertThat(row(origin.run()).status()).isEqualTo(WorkflowStatus.RUNNING);
        write(origin, origin.step().event("SideEffectRecorded", "{}"));
    }

    @Test
    void of_racing_resets_one_takes_the_place() throws Exception {
        for (boolean open : List.of(true, false)) {
            Writer origin = scheduled(open ? "open" : "closed", 1);
            if (!open) {
                terminated(origin.run());
            }
            List<Outcome> outcomes = Race.run(thread -> reset(origin.run(), 1).send());

            assertThat(outcomes).filteredOn(Outcome.DONE::equals).hasSize(1);
            assertThat(outcomes).filteredOn(Outcome.CHANGED::equals).hasSize(Race.THREADS - 1);
        }
    }

    @Test
    void a_fork_of_a_paused_run_is_paused() {
        Writer origin = origin();
        store.pause(pause(true));
        ResetBuilder reset = reset(origin.run(), 1);
        assertThat(reset.send()).isEqualTo(Outcome.DONE);
        assertThat(claimedIds(session)).isEmpty();

        store.pause(pause(false));
        claimed(reset.key());
    }

    private static RunPause pause(boolean on) {
        String type = on ? "WorkflowPaused" : "WorkflowResumed";
        return new RunPause("order-1", null, on, UUID.randomUUID(), type, "{}", "ann");
    }

    @Test
    void a_fork_of_a_pinned_open_run_is_pinned_and_that_of_a_closed_one_is_not() {
        Writer moved = origin();
        store.move(new RunMove("order-1", null, "blue", UUID.randomUUID(), "ann"));
        assertThat(reset(moved.run(), 2).schedulesAgain(1).send()).isEqualTo(Outcome.DONE);

        assertThat(claimedIds(sessionOf("green"))).isEmpty();
        assertThat(claimedIds(session)).isEmpty();
        assertThat(claimedIds(sessionOf("blue"))).containsExactly("order-1");

        RunKey fork = store.latestRun("order-1").orElseThrow().run();
        terminated(fork);
        assertThat(reset(fork, 1).send()).isEqualTo(Outcome.DONE);
        assertThat(claimedIds(sessionOf("green"))).containsExactly("order-1");
    }

    private UUID sessionOf(String build) {
        UUID fresh = UUID.randomUUID();
        store.openSession(fresh, "worker", LEASE, new Served(Set.of(QUEUE), Set.of(), null, build));
        return fresh;
    }

    @Test
    void each_fork_is_a_row_of_the_audit() {
        Writer origin = origin();
        store.fork(newRun("order-2").forks(origin.run(), 1).build());
        ResetBuilder reset = reset(origin.run(), 2).schedulesAgain(1);
        RunReset sent = reset.build();
        store.reset(sent);
        store.reset(sent);

        assertThat(store.audit(AuditFilter.ALL.workflowId("order-1"), 10))
                .hasSize(2)
                .allSatisfy(row -> {
                    assertThat(row.actor()).isEqualTo("ann");
                    assertThat(row.action()).isEqualTo(NewRun.Copied.ACTION);
                    assertThat(row.details()).contains(origin.run().runId().toString(), "why not");
                });
        assertThat(store.audit(AuditFilter.ALL, 10))
                .anySatisfy(row ->
                        assertThat(row.details()).contains(reset.key().runId().toString(), "\"as\":\"order-1\""));
    }

    // ── messages ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void messages_that_wait_move_along_but_requests_to_cancel() {
        Writer origin = origin();
        signalled(origin.run(), "first");
        deliver(
                origin.run(),
                new InboxMessage(UUID.randomUUID(), MessageKind.CANCEL, "WorkflowCancelRequested", "{}", null, null));
        signalled(origin.run(), "second");
        ResetBuilder reset = reset(origin.run(), 2).schedulesAgain(1);

        assertThat(reset.send()).isEqualTo(Outcome.DONE);

        assertThat(waitingNames(reset.key())).containsExactly("first", "second");
    }

    @Test
    void messages_that_are_given_again_come_before_those_that_wait_and_a_new_one_behind_them() {
        Writer origin = origin();
        InboxMessage handled = signalled(origin.run(), "handled");
        Instant accepted = waiting(origin.run()).getFirst().at();
        advance(Duration.ofSeconds(1));
        write(origin, origin.step().consumes(handled));
        signalled(origin.run(), "waits");
        advance(Duration.ofSeconds(1));
        InboxMessage again = new InboxMessage(UUID.randomUUID(), MessageKind.SIGNAL, "again", "[]", null, accepted);
        ResetBuilder reset = new ResetBuilder(origin.run(), 2, signal("new"), again).schedulesAgain(1);

        assertThat(reset.send()).isEqualTo(Outcome.DONE);

        assertThat(waitingNames(reset.key())).containsExactly("again", "waits", "new");
    }

    // ── the run as a child ───────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_parent_is_not_told_of_an_open_child_that_is_reset_and_is_told_of_the_end_of_its_fork() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        ResetBuilder reset = reset(child, 1).isChild(parent.run(), 1);

        assertThat(reset.send()).isEqualTo(Outcome.DONE);
        relayUntilEmpty();
        assertThat(waiting(parent.run())).isEmpty();

        Writer fork = claimed(reset.key());
        write(fork, fork.step().closes(WorkflowStatus.COMPLETED, "7"));
        relayUntilEmpty();
        assertThat(news(parent.run())).isInstanceOfSatisfying(ChildCompleted.class, end -> {
            assertThat(end.number()).isEqualTo(1);
            assertThat(end.messageId()).isEqualTo(child.runId());
        });
    }

    @Test
    void an_outcome_of_a_closed_child_that_is_on_its_way_is_taken_back() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        terminated(child);
        ResetBuilder reset = reset(child, 1).isChild(parent.run(), 1);

        assertThat(reset.send()).isEqualTo(Outcome.DONE);
        relayUntilEmpty();
        assertThat(waiting(parent.run())).isEmpty();

        Writer fork = claimed(reset.key());
        write(fork, fork.step().closes(WorkflowStatus.COMPLETED, "7"));
        relayUntilEmpty();
        assertThat(news(parent.run())).isInstanceOf(ChildCompleted.class);
    }

    @Test
    void a_parent_that_has_heard_the_outcome_of_a_child_keeps_that_and_ends_its_fork() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        terminated(child);
        relayUntilEmpty();
        Writer goesOn = claimed(parent.run());
        write(goesOn, goesOn.step().consumes(waiting(parent.run()).getFirst()));
        ResetBuilder reset = reset(child, 1).isChild(parent.run(), 1);
        assertThat(reset.send()).isEqualTo(Outcome.DONE);

        write(goesOn, goesOn.step().closes(WorkflowStatus.COMPLETED));
        relayUntilEmpty();
        assertThat(row(reset.key()).status()).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void a_fork_of_a_child_whose_parent_has_ended_is_left_alone() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        terminated(parent.run());
        relayUntilEmpty();
        assertThat(row(child).status()).isEqualTo(WorkflowStatus.TERMINATED);
        ResetBuilder reset = reset(child, 1).isChild(parent.run(), 1);

        assertThat(reset.send()).isEqualTo(Outcome.DONE);
        relayUntilEmpty();

        assertThat(row(reset.key()).status()).isEqualTo(WorkflowStatus.RUNNING);
    }

    // ── the children of the run ──────────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_open_child_goes_on_and_tells_the_fork_of_its_end() {
        for (boolean open : List.of(true, false)) {
            RunKey child = child(open ? "child-1" : "child-2");
            Writer parent = claimed(open ? "parent-1" : "parent-2");
            write(parent, parent.step().startsChild(1, child, DEFAULTS));
            relayUntilEmpty();
            if (!open) {
                terminated(parent.run());
            }
            ResetBuilder reset = reset(parent.run(), 2).awaits(1, child);

            assertThat(reset.send()).isEqualTo(Outcome.DONE);
            relayUntilEmpty();
            assertThat(row(child).status()).isEqualTo(WorkflowStatus.RUNNING);
            assertThat(waiting(reset.key())).isEmpty();

            terminated(child);
            relayUntilEmpty();
            assertThat(news(reset.key())).isInstanceOf(ChildFailed.class);
        }
    }

    @Test
    void a_child_ends_with_the_fork() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        terminated(parent.run());
        ResetBuilder reset = reset(parent.run(), 2).awaits(1, child);
        assertThat(reset.send()).isEqualTo(Outcome.DONE);
        relayUntilEmpty();

        terminated(reset.key());
        relayUntilEmpty();

        assertThat(row(child).status()).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void a_child_that_was_ended_with_the_run_and_reset_since_ends_with_the_fork() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        terminated(parent.run());
        relayUntilEmpty();
        ResetBuilder ofChild = reset(child, 1).isChild(parent.run(), 1);
        assertThat(ofChild.send()).isEqualTo(Outcome.DONE);
        ResetBuilder reset = reset(parent.run(), 2).awaits(1, child);
        assertThat(reset.send()).isEqualTo(Outcome.DONE);
        assertThat(waiting(reset.key())).isEmpty();

        terminated(reset.key());
        relayUntilEmpty();

        assertThat(row(ofChild.key()).status()).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void a_child_that_ended_before_or_with_the_run_has_told_the_fork() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        terminated(parent.run());
        relayUntilEmpty();
        ResetBuilder reset = reset(parent.run(), 2).awaits(1, child);

        assertThat(reset.send()).isEqualTo(Outcome.DONE);

        assertThat(news(reset.key()))
                .isInstanceOfSatisfying(
                        ChildFailed.class, end -> assertThat(end.messageId()).isEqualTo(child.runId()));
    }

    @Test
    void an_outcome_that_is_on_its_way_comes_once() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        terminated(child);
        ResetBuilder reset = reset(parent.run(), 2).awaits(1, child);
        assertThat(reset.send()).isEqualTo(Outcome.DONE);
        relayUntilEmpty();
        assertThat(waiting(reset.key())).hasSize(1);
    }

    @Test
    void a_fork_that_waits_for_the_start_of_a_child_is_told_once_that_it_is_open() {
        for (String how : List.of("told", "waits", "on its way", "closed")) {
            RunKey child = child("child " + how);
            Writer parent = claimed("parent " + how);
            write(parent, parent.step().startsChild(1, child, DEFAULTS));
            relayUntilEmpty();
            if (how.equals("closed")) {
                write(parent, parent.step().watches(2, 1, child));
                terminated(parent.run());
            } else {
                write(parent, parent.step().watches(2, 1, child));
                if (!how.equals("on its way")) {
                    relayUntilEmpty();
                }
                if (how.equals("told")) {
                    write(parent, parent.step().consumes(waiting(parent.run()).getFirst()));
                }
            }
            ResetBuilder reset = reset(parent.run(), 3).awaitsStart(1, child);

            assertThat(reset.send()).isEqualTo(Outcome.DONE);
            relayUntilEmpty();

            assertThat(waiting(reset.key())).as(how).hasSize(1);
            assertThat(news(reset.key())).as(how).isInstanceOf(ChildStarted.class);
        }
    }

    @Test
    void a_fork_that_waits_for_the_start_of_a_child_that_has_ended_is_told_of_the_end_alone() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        write(parent, parent.step().watches(2, 1, child));
        terminated(parent.run());
        relayUntilEmpty();
        ResetBuilder reset = reset(parent.run(), 3).awaitsStart(1, child);

        assertThat(reset.send()).isEqualTo(Outcome.DONE);

        assertThat(waiting(reset.key())).hasSize(1);
        assertThat(news(reset.key())).isInstanceOf(ChildFailed.class);
    }

    @Test
    void a_child_that_was_not_started_yet_is_started_where_the_run_was_open() {
        RunKey child = child("child");
        Writer parent = claimed("parent");
        write(parent, parent.step().startsChild(1, child, DEFAULTS));
        ResetBuilder reset = reset(parent.run(), 2).awaits(1, child);
        assertThat(reset.send()).isEqualTo(Outcome.DONE);

        relayUntilEmpty();

        assertThat(row(child).status()).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(waiting(reset.key())).isEmpty();
    }

    @Test
    void a_child_that_was_never_started_has_failed_to_start() {
        RunKey child = child("child");
        Writer parent = claimed("parent");
        write(parent, parent.step().startsChild(1, child, DEFAULTS));
        terminated(parent.run());
        relayUntilEmpty();
        ResetBuilder reset = reset(parent.run(), 2).awaits(1, child);

        assertThat(reset.send()).isEqualTo(Outcome.DONE);

        assertThat(news(reset.key()))
                .isInstanceOfSatisfying(
                        ChildStartFailed.class,
                        failed -> assertThat(failed.reason()).contains("its parent had ended before it was started"));
    }

    @Test
    void resets_of_a_tree_race_with_the_ends_of_its_children_and_with_the_relay() throws Exception {
        for (int round = 0; round < 5; round++) {
            List<RunKey> children = List.of(child("a" + round), child("b" + round), child("c" + round));
            Writer parent = claimed("parent" + round);
            write(
                    parent,
                    parent.step()
                            .startsChild(1, children.get(0), DEFAULTS)
                            .startsChild(2, children.get(1), DEFAULTS)
                            .startsChild(3, children.get(2), DEFAULTS));
            if (round % 2 == 0) {
                relayUntilEmpty();
            }
            String id = parent.run().workflowId();

            Race.run(thread -> switch (thread % 4) {
                case 0 -> resetNewest(id, children);
                case 1 -> store.relay(100);
                case 2 ->
                    store.seize(
                            Seizures.terminateCurrent(children.get(thread / 4).workflowId()));
                default ->
                    thread == 3
                            ? store.seize(Seizures.terminateCurrent(id))
                            : resetNewest(children.get(2), parent.run());
            });
            assertThat(resetNewest(id, children)).isEqualTo(Outcome.DONE);
            relayUntilEmpty();

            RunKey fork = store.latestRun(id).orElseThrow().run();
            for (RunKey child : children) {
                boolean isOpen = store.latestRun(child.workflowId())
                        .filter(run -> !run.status().closed())
                        .isPresent();
                assertThat(waiting(fork).stream()
                                .filter(message -> message.messageId().equals(child.runId()))
                                .count())
                        .as("outcomes of %s for %s", child, fork)
                        .isEqualTo(isOpen ? 0 : 1);
            }
        }
    }

    private Outcome resetNewest(String parent, List<RunKey> children) {
        RunKey newest = store.latestRun(parent).orElseThrow().run();
        ResetBuilder reset = reset(newest, 4);
        for (int i = 0; i < children.size(); i++) {
            reset.awaits(i + 1, children.get(i));
        }
        return reset.send();
    }

    private Object resetNewest(RunKey child, RunKey parent) {
        return store.latestRun(child.workflowId())
                .map(RunRecord::run)
                .map(newest -> reset(newest, 1).isChild(parent, 3).send())
                .orElse(Outcome.GONE);
    }

    @Test
    void children_that_began_behind_the_point_are_terminated() {
        RunKey child = child("child");
        Writer parent = parentOf(child, DEFAULTS);
        ResetBuilder reset = reset(parent.run(), 1).terminates(2, child);

        assertThat(reset.send()).isEqualTo(Outcome.DONE);
        relayUntilEmpty();

        assertThat(row(child).status()).isEqualTo(WorkflowStatus.TERMINATED);
    }
}
