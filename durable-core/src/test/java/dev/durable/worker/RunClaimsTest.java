package dev.durable.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.DurableException;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunClaim;
import dev.durable.store.contract.NewRunBuilder;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.memory.VirtualClock;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How long the loop that claims runs sleeps. */
class RunClaimsTest {
    private static final Duration POLL = Duration.ofSeconds(1);

    private final VirtualClock clock = new VirtualClock();
    private boolean broken;
    private final HistoryStore store = breakable(InMemoryHistoryStore.on(clock));
    private final List<String> claimed = new ArrayList<>();
    private Duration handingOver = Duration.ZERO;
    private final RunClaims claims = new RunClaims(
            store,
            new RunClaims.Wanted(Set.of("default"), Set.of("OrderWorkflow")),
            UUID::randomUUID,
            new RunClaims.Takers() {
                @Override
                public boolean isCached(UUID runId) {
                    return false;
                }

                @Override
                public void claimed(Mail.Claimed claim) {
                    claimed.add(claim.claim().run().workflowId());
                    assertThat(claim.firstPage()).hasSize(1);
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
    void what_is_left_to_a_session_that_had_it_and_is_gone_is_claimed_after_that_moment() throws Exception {
        start(run("orphan"));
        Duration aMoment = Duration.ofMillis(10);
        store.claimRuns(new RunClaim(UUID.randomUUID(), Set.of("default"), Set.of("OrderWorkflow"), 0, 1, aMoment));
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
    void a_timer_far_away_wakes_nobody() {
        claims.runOnce();
        claims.onWake(() -> {
            throw new AssertionError("woken for a timer beyond the next look");
        });

        claims.due(clock.now().plus(POLL).plusMillis(1));
    }

    private HistoryStore breakable(HistoryStore whole) {
        return (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) -> {
                    if (broken && method.getName().equals("claimRuns")) {
                        throw new DurableException("canceling statement due to statement timeout");
                    }
                    return method.invoke(whole, arguments);
                });
    }

    private NewRunBuilder run(String workflowId) {
        return new NewRunBuilder(store, workflowId);
    }

    private void start(NewRunBuilder run) {
        store.start(List.of(run.build()));
    }
}
