package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ChildOptions;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.logs.MarkedLines;
import dev.durable.store.ClaimedJob;
import dev.durable.store.ClaimedRun;
import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobClaim;
import dev.durable.store.JobUpdate;
import dev.durable.store.RunClaim;
import dev.durable.store.RunDetails;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** One part of the contract: a fresh store before each test, the invariants after it, and the verbs that tests speak in. */
public abstract class StoreContract {
    protected static final String QUEUE = "default";
    protected static final String TYPE = "OrderWorkflow";
    protected static final String ACTIVITY = "Payments.charge";
    /** How long the beat of a session may stand still. */
    protected static final Duration LEASE = Duration.ofMillis(20_250);

    protected static final Duration OWNED = Duration.ofSeconds(30);

    protected StoreFixture fixture;
    protected HistoryStore store;
    protected UUID session;

    protected abstract StoreFixture newFixture();

    @BeforeEach
    protected void openFreshStore() {
        fixture = newFixture();
        store = fixture.store();
        session = openSession();
    }

    @AfterEach
    protected void checkInvariants() {
        try (StoreFixture closing = fixture) {
            StoreInvariants.check(store);
            assertThat(closing.deadlocks()).as("deadlocks").isZero();
        }
    }

    protected void advance(Duration by) {
        fixture.advance(by);
    }

    protected UUID openSession() {
        UUID fresh = UUID.randomUUID();
        store.openSession(fresh, "worker-" + fresh.toString().substring(0, 4), LEASE);
        return fresh;
    }

    // ── runs ────────────────────────────────────────────────────────────────────────────────────────────────────────

    protected NewRunBuilder newRun(String workflowId) {
        return new NewRunBuilder(store, workflowId);
    }

    protected StartOutcome start(NewRunBuilder run) {
        return store.start(List.of(run.build())).getFirst();
    }

    /** A run whose first turn is not done: due at once. */
    protected RunKey started(String workflowId) {
        return started(newRun(workflowId));
    }

    protected RunKey started(NewRunBuilder run) {
        assertThat(start(run)).isEqualTo(new StartOutcome.Started(false));
        return run.key();
    }

    /** A run whose first turn is written, parked with nothing to do, as its writer sees it. */
    protected Writer parked(String workflowId) {
        NewRunBuilder run = newRun(workflowId).firstTurnDone();
        started(run);
        return new Writer(store, run.key(), run.fence(), 2);
    }

    /** A new run, claimed by {@link #session}. */
    protected Writer claimed(String workflowId) {
        RunKey run = started(workflowId);
        return claimed(run);
    }

    protected Writer claimed(RunKey run) {
        return writer(claimRuns(session).stream()
                .filter(claim -> claim.run().equals(run))
                .findFirst()
                .orElseThrow(() -> new AssertionError("not claimable: " + run)));
    }

    protected Writer writer(ClaimedRun claim) {
        return new Writer(store, claim.run(), claim.fence(), claim.nextEventId());
    }

    /** When the next parked run of these queues is due. */
    protected Optional<Instant> nextDue(String... queues) {
        return Optional.ofNullable(store.claimRuns(new RunClaim(session, Set.of(queues), Set.of(), 1, OWNED))
                .nextDue());
    }

    protected List<ClaimedRun> claimRuns(UUID claimer) {
        return claimRuns(claimer, 100);
    }

    protected List<ClaimedRun> claimRuns(UUID claimer, int limit) {
        return store.claimRuns(new RunClaim(claimer, Set.of(QUEUE), Set.of(TYPE), limit, OWNED))
                .runs();
    }

    protected List<String> claimedIds(UUID claimer) {
        return claimRuns(claimer).stream()
                .map(claim -> claim.run().workflowId())
                .toList();
    }

    /** Closes a run whatever waits for it. */
    protected void terminated(RunKey run) {
        assertThat(store.seize(Seizures.terminate(run))).contains(run);
    }

    /** A parked run with that many activities, ready. */
    protected Writer scheduled(String workflowId, int activities) {
        Writer writer = claimed(workflowId);
        StepBuilder step = writer.step();
        IntStream.rangeClosed(1, activities).forEach(step::schedules);
        assertThat(writer.write(step)).isEqualTo(Transition.Outcome.APPLIED);
        return writer;
    }

    // ── messages ────────────────────────────────────────────────────────────────────────────────────────────────────

    protected RunKey child(String workflowId) {
        return new RunKey(RunIds.create(store.now(), workflowId, 7), workflowId);
    }

    /** A parent with an open child. */
    protected Writer parentOf(RunKey child, ChildOptions options) {
        Writer parent = claimed("parent");
        write(parent, parent.step().startsChild(1, child, options));
        relayUntilEmpty();
        return parent;
    }

    protected void write(Writer writer, StepBuilder step) {
        assertThat(writer.write(step).isApplied()).isTrue();
    }

    /** Relays until nothing gets through any more. */
    protected void relayAll() {
        while (store.relay(100).gone() > 0) {}
    }

    /** Relays until no message waits. */
    protected void relayUntilEmpty() {
        for (int pass = 0; pass < 100 && store.outboxSince().isPresent(); pass++) {
            store.relay(100);
        }
        assertThat(store.outboxSince()).isEmpty();
    }

    protected static InboxMessage signal(String name) {
        return signal(name, "[\"" + name + "\",\"" + MarkedLines.MARKER + "\"]");
    }

    /** JSON of at least so many characters, which no database makes much smaller. */
    protected static String text(int size) {
        return new Random(size)
                .ints(size, '0', 'z' + 1)
                .map(c -> Character.isLetterOrDigit(c) ? c : 'x')
                .collect(() -> new StringBuilder("\""), StringBuilder::appendCodePoint, StringBuilder::append)
                .append('"')
                .toString();
    }

    protected static InboxMessage signal(String name, String payload) {
        return new InboxMessage(UUID.randomUUID(), MessageKind.SIGNAL, name, payload, null, null);
    }

    protected Delivery.Outcome deliver(RunKey run, InboxMessage message) {
        return store.deliver(List.of(new Delivery(run.workflowId(), run.runId(), message)))
                .getFirst();
    }

    protected Delivery.Outcome deliver(String workflowId, InboxMessage message) {
        return store.deliver(List.of(new Delivery(workflowId, null, message))).getFirst();
    }

    protected InboxMessage signalled(RunKey run, String name) {
        InboxMessage message = signal(name);
        assertThat(deliver(run, message)).isEqualTo(Delivery.Outcome.ACCEPTED);
        return message;
    }

    protected List<InboxMessage> waiting(RunKey run) {
        return store.messages(List.of(run), 10_000).getOrDefault(run.runId(), List.of());
    }

    protected List<String> waitingNames(RunKey run) {
        return waiting(run).stream().map(InboxMessage::name).toList();
    }

    // ── jobs ────────────────────────────────────────────────────────────────────────────────────────────────────────

    protected List<ClaimedJob> claimJobs(UUID claimer) {
        return claimJobs(claimer, 100);
    }

    protected List<ClaimedJob> claimJobs(UUID claimer, int limit) {
        return store.claimJobs(new JobClaim(claimer, QUEUE, Set.of(ACTIVITY), limit));
    }

    protected ClaimedJob claimJob(UUID claimer) {
        List<ClaimedJob> jobs = claimJobs(claimer, 1);
        assertThat(jobs).as("claimable jobs").hasSize(1);
        return jobs.getFirst();
    }

    protected JobUpdate.Outcome update(JobUpdate update) {
        return store.update(List.of(update)).getFirst();
    }

    protected static JobUpdate.Settle completed(ClaimedJob job) {
        return Outcomes.completed(job.key(), job.lease());
    }

    protected static JobUpdate.Retry retry(ClaimedJob job, Duration delay) {
        return new JobUpdate.Retry(
                job.key(),
                job.lease(),
                delay,
                job.attempt() + 1,
                "[{\"type\":\"ActivityAttemptFailed\"}]",
                "declined",
                null,
                null);
    }

    // ── reads ───────────────────────────────────────────────────────────────────────────────────────────────────────

    protected List<StoredEvent> history(RunKey run) {
        return store.history(run.runId(), 1, Integer.MAX_VALUE);
    }

    protected List<String> eventTypes(RunKey run) {
        return history(run).stream().map(StoredEvent::type).toList();
    }

    protected RunDetails details(RunKey run) {
        return store.details(run.runId()).orElseThrow();
    }

    /** Each activity's state, by its seq. */
    protected Map<Integer, String> jobStates(RunKey run) {
        Map<Integer, String> states = new TreeMap<>();
        details(run).jobs().forEach(job -> states.put(job.seq(), job.state()));
        return states;
    }

    protected Optional<String> heartbeatDetails(RunKey run, int seq) {
        return details(run).jobs().stream()
                .filter(job -> job.seq() == seq)
                .findFirst()
                .map(job -> job.heartbeatDetails());
    }
}
