package dev.durable.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ConflictPolicy;
import dev.durable.ReusePolicy;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.store.ClaimedJob;
import dev.durable.store.ClaimedRun;
import dev.durable.store.Delivery;
import dev.durable.store.JobClaim;
import dev.durable.store.JobContent;
import dev.durable.store.JobDeadlines;
import dev.durable.store.JobRoute;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewJob;
import dev.durable.store.NewRun;
import dev.durable.store.Nudges;
import dev.durable.store.Nudges.Nudge;
import dev.durable.store.RunClaim;
import dev.durable.store.RunFilter;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What only the in-memory store promises: it tells a test engine to which time it may skip. */
class SkippingTimeTest {
    private static final Duration OWNED = Duration.ofSeconds(30);

    private final VirtualClock time = new VirtualClock();
    private final InMemoryHistoryStore store = InMemoryHistoryStore.on(time);
    private final UUID session = opened();

    @Test
    void an_empty_store_waits_for_no_time() {
        assertThat(store.nextDue()).isEmpty();
    }

    @Test
    void a_run_that_is_due_is_not_worth_a_skip_but_its_delay_is() {
        start("order-1", Duration.ZERO, null);
        assertThat(store.nextDue()).isEmpty();

        start("order-2", Duration.ofMinutes(1), null);
        assertThat(store.nextDue()).contains(time.now().plusSeconds(60));
    }

    @Test
    void timers_of_parked_runs_are_worth_a_skip() {
        ClaimedRun claim = startAndClaim("order-1");
        assertThat(store.nextDue()).as("its owner may die").contains(time.now().plus(OWNED));
        Instant timer = time.now().plusSeconds(3);
        commit(claim, List.of(), timer, null);

        assertThat(store.nextDue()).contains(timer);
        time.advanceTo(timer);
        assertThat(store.claimRuns(claimOf(session)).runs()).hasSize(1);
    }

    @Test
    void a_stalled_run_is_worth_a_skip_to_its_next_try() {
        ClaimedRun claim = startAndClaim("order-1");
        commit(claim, List.of(), null, new Transition.Stall("differs", Duration.ofMinutes(5)));

        assertThat(store.nextDue()).contains(time.now().plusSeconds(300));
    }

    @Test
    void a_delayed_job_is_worth_a_skip() {
        ClaimedRun claim = startAndClaim("order-1");
        commit(claim, List.of(job()), null, null);
        ClaimedJob job = store.claimJobs(new JobClaim(session, "default", Set.of("A.a"), 1))
                .getFirst();
        assertThat(store.nextDue()).isEmpty();

        store.update(
                List.of(new JobUpdate.Retry(job.key(), job.lease(), Duration.ofSeconds(7), 2, "[]", null, null, null)));

        assertThat(store.nextDue()).contains(time.now().plusSeconds(7));
    }

    @Test
    void a_deadline_is_worth_a_skip() {
        start("order-1", Duration.ZERO, time.now().plusSeconds(90));

        assertThat(store.nextDue()).contains(time.now().plusSeconds(90));
    }

    @Test
    void a_run_that_is_left_to_a_session_that_does_not_look_is_worth_a_skip() {
        ClaimedRun claim = startAndClaim("order-1");
        commit(claim, List.of(), null, null);
        store.deliver(List.of(new Delivery(
                "order-1",
                null,
                new InboxMessage(UUID.randomUUID(), MessageKind.SIGNAL, "approve", "[]", null, null))));

        assertThat(claim("another")).isEmpty();
        time.advanceTo(store.nextDue().orElseThrow());
        assertThat(claim("another")).hasSize(1);
    }

    @Test
    void a_listener_to_nudges_may_ask_the_store_from_another_thread() throws Exception {
        List<Long> counted = new ArrayList<>();
        try (AutoCloseable listening = store.nudges().listen(nudge -> counted.add(countElsewhere()))) {
            start("order-1", Duration.ZERO, null);
        }

        assertThat(counted).containsExactly(1L);
    }

    @Test
    void one_call_gives_one_nudge_for_each_queue() throws Exception {
        List<Nudge> heard = new ArrayList<>();
        try (AutoCloseable listening = store.nudges().listen(heard::add)) {
            store.start(List.of(newRun("order-1", Duration.ZERO, null), newRun("order-2", Duration.ZERO, null)));
        }

        assertThat(heard).containsExactly(new Nudges.RunsDue("default"));
    }

    @Test
    void a_store_on_the_systems_clock_moves_by_itself() {
        InMemoryHistoryStore real = new InMemoryHistoryStore();

        assertThat(real.now())
                .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
        Instant before = real.now();
        while (!real.now().isAfter(before)) {
            Thread.onSpinWait();
        }
    }

    private long countElsewhere() {
        return CompletableFuture.supplyAsync(() -> store.count(RunFilter.ALL))
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }

    private ClaimedRun startAndClaim(String workflowId) {
        start(workflowId, Duration.ZERO, null);
        return store.claimRuns(claimOf(session)).runs().getFirst();
    }

    private List<ClaimedRun> claim(String who) {
        UUID other = UUID.nameUUIDFromBytes(who.getBytes(StandardCharsets.UTF_8));
        store.openSession(other, who, Duration.ofSeconds(30));
        return store.claimRuns(claimOf(other)).runs();
    }

    private UUID opened() {
        UUID id = UUID.randomUUID();
        store.openSession(id, "worker", Duration.ofSeconds(30));
        return id;
    }

    private static RunClaim claimOf(UUID session) {
        return new RunClaim(session, Set.of("default"), Set.of("W"), 10, OWNED);
    }

    private void start(String workflowId, Duration delay, Instant deadline) {
        store.start(List.of(newRun(workflowId, delay, deadline)));
    }

    private NewRun newRun(String workflowId, Duration delay, Instant deadline) {
        Instant now = time.now();
        return new NewRun(
                new RunKey(RunIds.create(now, workflowId, workflowId.hashCode()), workflowId),
                "W",
                "default",
                UUID.randomUUID(),
                NewRun.FirstTurn.later(List.of(new StoredEvent(1, "WorkflowStarted", now, null, "{}")), delay),
                new NewRun.Policies(ReusePolicy.ALLOW_DUPLICATE, ConflictPolicy.FAIL, List.of()),
                new NewRun.Deadlines(deadline, null),
                Map.of(),
                null,
                null);
    }

    private NewJob job() {
        return new NewJob(
                1,
                new JobRoute("A.a", "default", "W"),
                0,
                new JobContent("[]", "{}", "{}"),
                new JobDeadlines(time.now(), null, null),
                3,
                null,
                null,
                Duration.ZERO);
    }

    private void commit(ClaimedRun claim, List<NewJob> jobs, Instant wakeAt, Transition.Stall stall) {
        Transition step = new Transition(
                claim.run(),
                new Transition.Fences(claim.fence(), UUID.randomUUID()),
                claim.nextEventId(),
                List.of(),
                List.of(),
                new Transition.JobChanges(jobs, List.of(), List.of()),
                true,
                wakeAt,
                stall,
                null);
        assertThat(store.commit(List.of(step))).containsExactly(Transition.Outcome.APPLIED);
    }
}
