package dev.durable.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.DurableException;
import dev.durable.internal.drive.IdleInterval;
import dev.durable.internal.drive.Step;
import dev.durable.store.ClaimedRuns;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunClaim;
import dev.durable.store.Transition;
import dev.durable.store.contract.NewRunBuilder;
import dev.durable.store.contract.StepBuilder;
import dev.durable.store.contract.Writer;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.memory.VirtualClock;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The sleeps of the loop that claims runs. */
class RunClaimLoopTest {
    private static final Duration POLL = Duration.ofSeconds(1);

    private final VirtualClock clock = new VirtualClock();
    private boolean broken;
    private boolean answerLost;
    private @Nullable RunClaim lostClaim;
    private boolean claimsWork;
    private @Nullable Instant overdue;
    private final HistoryStore store = breakable(InMemoryHistoryStore.on(clock));
    private final List<String> calls = new ArrayList<>();
    private final List<String> claimed = new ArrayList<>();
    private final List<Integer> pages = new ArrayList<>();
    private Duration handingOver = Duration.ZERO;
    private final UUID session = opened();
    private final RunClaimLoop claims = new RunClaimLoop(
            store,
            new RunClaimLoop.Wanted(Set.of("default"), Set.of("OrderWorkflow"), false, Map::of),
            () -> session,
            UUID::randomUUID,
            new RunClaimLoop.Takers() {
                @Override
                public boolean isCached(UUID runId) {
                    return false;
                }

                @Override
                public void claimed(RunMail.Claimed claim) {
                    claimed.add(claim.claim().run().workflowId());
                    pages.add(claim.firstPage() == null ? 0 : claim.firstPage().size());
                    clock.advance(handingOver);
                }
            },
            new IdleInterval(POLL, store.nudges()));

    @Test
    void what_becomes_due_while_others_are_handed_over_is_claimed_at_once() throws Exception {
        start(run("now"));
        start(run("soon").wakeAt(clock.now().plusMillis(5)));
        handingOver = Duration.ofMillis(10);

        assertThat(claims.runOnce()).isEqualTo(Step.AGAIN);
        claims.runOnce();

        assertThat(claimed).containsExactly("now", "soon");
        assertThat(pages).as("events that came with them").containsExactly(1, 1);
    }

    @Test
    void histories_that_do_not_come_with_the_claim_are_read_together_as_many_as_make_a_page() throws Exception {
        startedWith("long", HistoryReplay.PAGE + 1);
        for (int i = 0; i < 5; i++) {
            startedWith("middling-" + i, ClaimedRuns.SHORT_HISTORY + 1);
        }
        start(run("short"));
        clock.advance(Duration.ofMillis(101));

        claims.runOnce();

        assertThat(claimed).hasSize(7).startsWith("short");
        assertThat(pages).containsExactlyInAnyOrder(1, HistoryReplay.PAGE, 101, 101, 101, 101, 101);
        assertThat(Collections.frequency(calls, "histories")).isEqualTo(2);
        assertThat(calls).doesNotContain("history");
    }

    @Test
    void runs_whose_histories_can_not_be_read_here_are_handed_over_all_the_same() throws Exception {
        startedWith("middling-1", ClaimedRuns.SHORT_HISTORY + 1);
        startedWith("middling-2", ClaimedRuns.SHORT_HISTORY + 1);
        clock.advance(Duration.ofMillis(101));
        broken = true;
        claimsWork = true;

        claims.runOnce();

        assertThat(claimed).containsExactlyInAnyOrder("middling-1", "middling-2");
        assertThat(pages).as("each reads its own").containsExactly(0, 0);
    }

    private void startedWith(String workflowId, int events) {
        NewRunBuilder run = run(workflowId);
        start(run);
        Writer writer = new Writer(store, run.key(), run.fence(), 2);
        StepBuilder step = writer.step();
        for (int i = 1; i < events; i++) {
            step.event("SideEffectRecorded", "{}");
        }
        assertThat(writer.write(step.wakesAt(clock.now()))).isEqualTo(Transition.Outcome.APPLIED);
    }

    @Test
    void a_run_that_is_overdue_and_not_for_this_worker_makes_no_timer_late() throws Exception {
        start(run("foreign").type("UnknownHere"));
        start(run("timer").wakeAt(clock.now().plusMillis(50)));
        clock.advance(Duration.ofMillis(1));

        Duration sleep = claims.runOnce();

        assertThat(claimed).isEmpty();
        assertThat(sleep).isEqualTo(Duration.ofMillis(50));
        assertThat(claims.runOnce()).as("and is no reason to hurry").isEqualTo(sleep);
    }

    @Test
    void what_is_left_to_a_session_that_had_it_and_does_not_look_is_claimed_after_that_moment() throws Exception {
        start(run("orphan"));
        Duration aMoment = Duration.ofMillis(10);
        store.claimRuns(new RunClaim(opened(), Set.of("default"), Set.of("OrderWorkflow"), 1, aMoment));
        clock.advance(aMoment);

        Duration sleep = claims.runOnce();

        assertThat(claimed).isEmpty();
        assertThat(sleep).as("and not the poll").isEqualTo(Duration.ofMillis(91));
        clock.advance(sleep);
        claims.runOnce();
        assertThat(claimed).containsExactly("orphan");
    }

    @Test
    void a_timer_that_begins_here_is_waited_for_and_not_for_the_next_poll() throws Exception {
        Duration untilPoll = claims.runOnce();
        AtomicInteger woken = new AtomicInteger();
        claims.onWake(woken::incrementAndGet);

        start(run("short").wakeAt(clock.now().plusMillis(20)));
        claims.due(clock.now().plusMillis(20));

        assertThat(untilPoll).isEqualTo(POLL);
        assertThat(woken).hasValue(1);
        assertThat(claims.runOnce()).isEqualTo(Duration.ofMillis(20));
        clock.advance(Duration.ofMillis(20));
        claims.runOnce();
        assertThat(claimed).containsExactly("short");
    }

    @Test
    void after_an_error_that_nobody_expects_runs_are_claimed_again() throws Exception {
        broken = true;
        assertThatThrownBy(claims::runOnce).hasMessageContaining("statement timeout");
        broken = false;
        start(run("now"));

        claims.runOnce();

        assertThat(claimed).containsExactly("now");
    }

    @Test
    void what_a_claim_took_whose_answer_was_lost_is_claimed_again_at_once() throws Exception {
        start(run("now"));
        answerLost = true;
        assertThatThrownBy(claims::runOnce).isInstanceOf(CommitUnknownException.class);
        assertThat(claimed).isEmpty();
        answerLost = false;

        claims.runOnce();

        assertThat(claimed).containsExactly("now");
    }

    @Test
    void while_a_lost_claim_may_still_arrive_it_is_looked_for_twice_a_second() throws Exception {
        answerLost = true;
        assertThatThrownBy(claims::runOnce).isInstanceOf(CommitUnknownException.class);
        answerLost = false;

        assertThat(claims.runOnce()).isEqualTo(Duration.ofMillis(500));
        start(run("late"));
        RunClaim late = Objects.requireNonNull(lostClaim);
        store.claimRuns(late);
        clock.advance(Duration.ofMillis(500));
        claims.runOnce();
        assertThat(claimed).containsExactly("late");

        clock.advance(RunClaimLoop.OWNED_FOR.plusMillis(1));
        assertThat(claims.runOnce()).as("what it takes now runs out by itself").isEqualTo(POLL);
    }

    @Test
    void what_is_due_here_and_not_yet_in_the_store_is_not_asked_for_without_a_pause() throws Exception {
        start(run("timer"));
        overdue = clock.now();

        assertThat(claims.runOnce()).as("it may have become due meanwhile").isEqualTo(Step.AGAIN);
        for (int i = 0; i < 3; i++) {
            assertThat(claims.runOnce()).isEqualTo(Duration.ofMillis(25));
            clock.advance(Duration.ofMillis(25));
        }
        assertThat(claimed).isEmpty();

        overdue = null;
        claims.runOnce();
        assertThat(claimed).containsExactly("timer");
    }

    @Test
    void a_timer_far_away_wakes_nobody() {
        claims.runOnce();
        claims.onWake(() -> {
            throw new AssertionError("woken for a timer beyond the next look");
        });

        claims.due(clock.now().plus(POLL).plusMillis(1));
    }

    @Test
    void the_times_of_stalled_runs_are_kept_over_claims_that_do_not_tell_them() throws Exception {
        Instant next = clock.now().plusMillis(310);
        claims.triedAgain(next.plusMillis(1));
        claims.triedAgain(next);
        claims.triedAgain(next.plusMillis(400));
        claims.runOnce();
        claims.nudge();

        assertThat(claims.runOnce()).isEqualTo(Duration.ofMillis(325));

        start(run("stalled").wakeAt(next));
        clock.advance(Duration.ofMillis(325));
        assertThat(claims.runOnce()).isEqualTo(Duration.ofMillis(400));
        assertThat(claimed).containsExactly("stalled");
        clock.advance(Duration.ofMillis(400));
        assertThat(claims.runOnce()).as("afterwards").isEqualTo(POLL);
    }

    private UUID opened() {
        UUID id = UUID.randomUUID();
        store.openSession(id, "worker", Duration.ofMinutes(1));
        return id;
    }

    private HistoryStore breakable(HistoryStore whole) {
        return (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) -> {
                    if (broken && !claimsWork && method.getName().equals("claimRuns")) {
                        throw new DurableException("canceling statement due to statement timeout");
                    }
                    calls.add(method.getName());
                    if (overdue != null && method.getName().equals("claimRuns")) {
                        return ClaimedRuns.none(null, overdue);
                    }
                    if (broken && method.getName().equals("histories")) {
                        throw new DurableException("canceling statement due to statement timeout");
                    }
                    Object answer = method.invoke(whole, arguments);
                    if (answerLost && method.getName().equals("claimRuns")) {
                        lostClaim = (RunClaim) arguments[0];
                        throw new CommitUnknownException("the answer never came, as the test wants it", null);
                    }
                    return answer;
                });
    }

    private NewRunBuilder run(String workflowId) {
        return new NewRunBuilder(store, workflowId);
    }

    private void start(NewRunBuilder run) {
        store.start(List.of(run.build()));
    }
}
