package dev.durable.internal.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.StaleAttemptException;
import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.internal.drive.Loop;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobKey;
import dev.durable.store.SessionInfo;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The session of this process in the view of other processes. */
class WorkerSessionTest {
    private final ActivityBench bench = new ActivityBench();

    @Test
    void it_beats_a_third_of_a_lease_apart() {
        assertThat(ActivityBench.crank(bench.session)).isEqualTo(ActivityBench.LEASE.dividedBy(3));
        ActivityBench.crank(bench.session);

        assertThat(only().beat()).isEqualTo(2);
        assertThat(only().identity()).isEqualTo("me");
        assertThat(only().lease()).isEqualTo(ActivityBench.LEASE);
    }

    @Test
    void it_does_not_beat_while_the_loops_stand_still() {
        bench.progress = false;
        ActivityBench.crank(bench.session);
        assertThat(only().beat()).isZero();

        bench.progress = true;
        ActivityBench.crank(bench.session);
        assertThat(only().beat()).isEqualTo(1);
    }

    @Test
    void a_session_declared_dead_never_renews() {
        UUID before = bench.session.id();
        bench.memory.markDead(before, 0);

        ActivityBench.crank(bench.session);
        ActivityBench.crank(bench.session);

        assertThat(bench.session.id()).isNotEqualTo(before);
        assertThat(bench.memory.sessions())
                .filteredOn(session -> session.session().equals(before))
                .allMatch(session -> session.dead() && session.beat() == 0);
        assertThat(bench.memory.sessions())
                .filteredOn(session -> session.session().equals(bench.session.id()))
                .singleElement()
                .matches(session -> !session.dead() && session.beat() == 1);
    }

    @Test
    void what_became_due_while_it_was_dead_is_looked_for_when_another_is_open() {
        List<UUID> looks = new ArrayList<>();
        bench.session.onReopened(() -> looks.add(bench.session.id()));
        UUID before = bench.session.id();
        ActivityBench.crank(bench.session);
        assertThat(looks).isEmpty();

        bench.memory.markDead(before, 1);
        ActivityBench.crank(bench.session);
        ActivityBench.crank(bench.session);

        assertThat(looks).containsExactly(bench.session.id()).doesNotContain(before);
    }

    @Test
    void what_ran_under_a_dead_session_is_interrupted_and_stale() {
        JobKey key = bench.ran(argument -> {
            bench.memory.markDead(bench.session.id(), 0);
            ActivityBench.crank(bench.session);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            assertThatThrownBy(() -> ActivityBench.context().heartbeat(1)).isInstanceOf(StaleAttemptException.class);
            return "late";
        });

        assertThat(bench.inbox(key)).isEmpty();
        assertThat(bench.memory.requeueOrphans(10)).isEqualTo(1);
        assertThat(bench.state(key)).isEqualTo("ready 1");
        bench.body = argument -> "again";
        bench.work();
        assertThat(bench.outcome(key).type()).isEqualTo("ActivityCompleted");
    }

    @Test
    void nothing_is_claimed_under_a_dead_session() {
        bench.away("openSession", 1);
        bench.memory.markDead(bench.session.id(), 0);
        ActivityBench.crank(bench.session);
        JobKey key = bench.schedule("[\"x\"]");

        bench.work();
        assertThat(bench.state(key)).isEqualTo("ready 1");
        ActivityBench.crank(bench.session);
        bench.work();

        assertThat(bench.outcome(key).type()).isEqualTo("ActivityCompleted");
    }

    @Test
    void a_database_that_is_away_changes_nothing() {
        UUID before = bench.session.id();
        bench.away("beat", 100);

        JobKey key = bench.ran(argument -> {
            for (int i = 0; i < 100; i++) {
                assertThat(ActivityBench.crank(bench.session)).isLessThan(ActivityBench.LEASE.dividedBy(3));
                bench.clock.advance(Duration.ofMillis(500));
            }
            return "done";
        });
        ActivityBench.crank(bench.session);

        assertThat(bench.session.id()).isEqualTo(before);
        assertThat(only().beat()).isEqualTo(1);
        assertThat(bench.outcome(key).type()).isEqualTo("ActivityCompleted");
    }

    @Test
    void goodbye_releases_what_it_still_holds() {
        bench.holdBodies();
        JobKey key = bench.schedule("[\"x\"]");
        bench.work();

        bench.session.close();

        assertThat(bench.memory.sessions()).isEmpty();
        assertThat(bench.state(key)).isEqualTo("ready 1");
    }

    @Test
    void a_beat_that_is_answered_after_goodbye_opens_no_other_session() {
        bench.session.close();

        ActivityBench.crank(bench.session);

        assertThat(bench.memory.sessions()).isEmpty();
    }

    @Test
    void goodbye_without_a_database_is_no_error() {
        bench.away("closeSession", 1);

        bench.session.close();

        assertThat(bench.faulty.allSeen()).isTrue();
    }

    /** Real threads and time: bodies on virtual threads burn every carrier, and the beat goes on beside them. */
    @Test
    void a_cpu_burning_activity_does_not_lose_its_session() throws InterruptedException {
        HistoryStore store = new InMemoryHistoryStore();
        CountDownLatch beats = new CountDownLatch(20);
        AtomicBoolean burning = new AtomicBoolean(true);
        List<UUID> lost = new ArrayList<>();
        WorkerSession session = new WorkerSession(
                store, new WorkerSession.Own("me", Duration.ofMillis(30), UUID::randomUUID), () -> true, lost::add);
        session.open();
        Loop loop = new Loop(
                "session",
                () -> {
                    Duration next = ActivityBench.crank(session);
                    beats.countDown();
                    return next;
                },
                false,
                UnaryOperator.identity());
        try (ExecutorService bodies = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
                bodies.execute(() -> {
                    while (burning.get()) {
                        Thread.onSpinWait();
                    }
                });
            }
            loop.start();

            assertThat(beats.await(30, TimeUnit.SECONDS)).isTrue();
            burning.set(false);
        } finally {
            burning.set(false);
            loop.close();
        }
        assertThat(lost).isEmpty();
        assertThat(store.sessions().getFirst().beat()).isGreaterThanOrEqualTo(19);
    }

    private SessionInfo only() {
        assertThat(bench.memory.sessions()).hasSize(1);
        return bench.memory.sessions().getFirst();
    }
}
