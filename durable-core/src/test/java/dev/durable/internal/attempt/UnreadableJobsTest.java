package dev.durable.internal.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.RetryPolicy;
import dev.durable.client.ActivityState;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.IncidentRaised;
import dev.durable.history.OptionsJson;
import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.internal.dispatch.ActivityPool;
import dev.durable.internal.dispatch.ActivityStarter;
import dev.durable.internal.dispatch.ActivityWorker;
import dev.durable.internal.dispatch.RulesWatch;
import dev.durable.internal.drive.PollPace;
import dev.durable.internal.observe.Tries;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobClaim;
import dev.durable.store.JobFilter;
import dev.durable.store.JobKey;
import dev.durable.store.JobUpdate;
import dev.durable.store.OpenJob;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that this worker claims and can't read. */
class UnreadableJobsTest {
    private static final String UNFIT = "[{\"not\":\"a string\"}]";

    private final ActivityBench bench = new ActivityBench();
    private final AtomicInteger bodies = new AtomicInteger();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger log = (Logger) org.slf4j.LoggerFactory.getLogger(UnreadableJobs.class);

    @BeforeEach
    void listen() {
        bench.body = argument -> bodies.incrementAndGet();
        lines.start();
        log.setLevel(Level.INFO);
        log.setAdditive(false);
        log.addAppender(lines);
    }

    @AfterEach
    void stop() {
        log.detachAppender(lines);
    }

    private OpenJob job(JobKey key) {
        return bench.memory.jobs(JobFilter.of(key), 1).getFirst();
    }

    private List<HistoryEvent> notes(JobKey key) {
        return EventJson.decodeNotes(job(key).report().notes()).stream()
                .map(EventJson::decode)
                .toList();
    }

    /** Another worker, which may be of another version. */
    private List<ClaimedJob> claimedElsewhere() {
        UUID other = UUID.randomUUID();
        bench.memory.openSession(other, "other", Duration.ofDays(1));
        return bench.memory.claimJobs(new JobClaim(other, ActivityBench.QUEUE, Set.of(ActivityBench.ACTIVITY), 10));
    }

    /** Returns whether this worker claims the job after that time. */
    private boolean claimedHere(Duration after) {
        bench.pass(after);
        bench.worker.runOnce();
        boolean claimed = !bench.memory.held(bench.session.id()).isEmpty();
        bench.store();
        return claimed;
    }

    @Test
    void arguments_that_do_not_fit_leave_the_job_to_others_at_once_and_no_body_runs() {
        JobKey key = bench.schedule(UNFIT);

        bench.work();

        assertThat(bench.state(key)).isEqualTo("ready 1");
        assertThat(bench.inbox(key)).isEmpty();
        assertThat(bodies).hasValue(0);
        assertThat(bench.slots.free()).isEqualTo(4);
        assertThat(bench.leases.isEmpty()).isTrue();
        assertThat(job(key).report().lastFailure())
                .startsWith("worker me can't read it: dev.durable.PayloadException: argument 1")
                .contains("of Work.run can't be read as java.lang.String", "What is stored: 20 characters of JSON")
                .doesNotContain("a string");
        assertThat(claimedElsewhere()).singleElement().satisfies(job -> {
            assertThat(job.attempt()).isEqualTo(1);
            assertThat(job.crashes()).isZero();
        });
    }

    @Test
    void what_is_logged_of_it_makes_no_line_of_its_own() {
        bench.schedule("[\"x\"]", "{\"startToClose\":\"PT1M\",\"a\\n12:00 INFO all is well\":1}");

        bench.work();

        assertThat(lines.list)
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line.getFormattedMessage()).doesNotContain("\n12:00"));
    }

    @Test
    void that_is_so_whatever_the_policy_says_and_of_what_begins_at_most_once() {
        bench.atMostOnce = true;
        bench.options = bench.with(policy -> RetryPolicy.none());
        JobKey key = bench.schedule(UNFIT);

        bench.work();

        assertThat(bench.state(key)).isEqualTo("ready 1");
    }

    @Test
    void an_option_that_is_not_known_here_leaves_the_job_to_others() {
        String known = OptionsJson.encode(bench.options);
        for (String options : List.of(
                known.replace("{\"startToClose\"", "{\"region\":\"eu\",\"startToClose\""),
                "{\"startToClose\":\"PT1M\",\"retry\":{\"budget\":7}}",
                known.substring(0, known.length() - 1) + ",\"cancellation\":\"NEVER\"}")) {
            JobKey key = bench.schedule("[\"x\"]", options);

            bench.work();

            assertThat(bench.state(key)).as(options).isEqualTo("ready 1");
            assertThat(job(key).report().lastFailure())
                    .contains(
                            "the options of Work.run can't be read: ", "Usually a newer version of Durable wrote them")
                    .containsAnyOf(
                            "this version of Durable does not know region",
                            "this version of Durable does not know retry.budget",
                            "NEVER");
        }
        assertThat(bodies).hasValue(0);
        assertThat(bench.slots.free()).isEqualTo(4);
    }

    @Test
    void it_is_looked_at_again_after_a_pause_that_grows_and_what_can_be_read_goes_on() {
        JobKey key = bench.schedule(UNFIT);
        bench.work();

        JobKey fits = bench.schedule("[\"x\"]");
        bench.pass(Duration.ofSeconds(2));
        bench.work();
        assertThat(bench.outcome(fits)).isInstanceOf(ActivityCompleted.class);
        assertThat(claimedHere(Duration.ofSeconds(2))).as("4 s").isFalse();
        assertThat(claimedHere(Duration.ofSeconds(2))).as("6 s").isTrue();
        assertThat(claimedHere(Duration.ofSeconds(8))).as("8 s later").isFalse();
        assertThat(claimedHere(Duration.ofSeconds(4))).as("12 s later").isTrue();
        int claims = 0;
        for (int second = 0; second < 600; second += 2) {
            claims += claimedHere(Duration.ofSeconds(2)) ? 1 : 0;
        }
        assertThat(claims).as("in ten minutes").isBetween(8, 12);
        assertThat(bench.state(key)).isEqualTo("ready 1");
        assertThat(notes(key)).as("one note, however often").hasSize(1);
    }

    @Test
    void who_can_not_read_it_asks_for_jobs_when_the_pause_is_over() {
        AtomicInteger nudges = new AtomicInteger();
        bench.queue.onNudge(nudges::incrementAndGet);
        bench.schedule(UNFIT);
        bench.work();
        int before = nudges.get();

        bench.pass(UnreadableJobs.FIRST_PAUSE);

        assertThat(nudges.get()).isGreaterThan(before);
    }

    @Test
    void after_a_quarter_of_an_hour_it_is_an_incident_with_the_text_and_no_attempt_is_used() {
        bench.options = bench.with(policy -> RetryPolicy.none());
        JobKey key = bench.schedule(UNFIT);
        for (int second = 0; second < 14 * 60; second++) {
            claimedHere(Duration.ofSeconds(1));
        }
        assertThat(bench.state(key)).isEqualTo("ready 1");

        for (int second = 0; second < 65; second++) {
            claimedHere(Duration.ofSeconds(1));
        }

        OpenJob incident = job(key);
        assertThat(incident.status().state()).isEqualTo(ActivityState.INCIDENT);
        assertThat(incident.seen().attempt()).isEqualTo(1);
        assertThat(incident.burial().fingerprint()).isEqualTo("Work.run: not read");
        assertThat(incident.report().lastFailure()).contains("argument 1", "20 characters of JSON");
        assertThat(bench.inbox(key)).as("its run waits").isEmpty();
        List<HistoryEvent> notes = notes(key);
        assertThat(notes).hasSize(2);
        ActivityAttemptFailed unread = (ActivityAttemptFailed) notes.getFirst();
        assertThat(unread.reason()).isEqualTo("not read");
        assertThat(unread.nextAttemptAt()).isNull();
        IncidentRaised raised = (IncidentRaised) notes.getLast();
        assertThat(raised.kind()).isEqualTo("incident");
        assertThat(raised.reason()).isEqualTo("not read");
        assertThat(raised.failure().message()).contains("can't be read as java.lang.String");
        assertThat(Duration.between(unread.at(), raised.at()))
                .isBetween(Duration.ofMinutes(15), Duration.ofMinutes(16));
        assertThat(bench.slots.free()).isEqualTo(4);
    }

    @Test
    void the_time_counts_from_the_first_worker_that_could_not_read_it() {
        JobKey key = bench.schedule(UNFIT);
        bench.work();
        bench.pass(Duration.ofMinutes(14));
        ActivityWorker restarted = restarted();
        restarted.runOnce();
        bench.store();
        assertThat(bench.state(key)).isEqualTo("ready 1");

        bench.pass(Duration.ofMinutes(1));
        restarted.runOnce();
        bench.store();

        assertThat(job(key).status().state()).isEqualTo(ActivityState.INCIDENT);
    }

    /** The worker without its memory. */
    private ActivityWorker restarted() {
        AttemptServices host = new AttemptServices(
                bench.host.code(),
                bench.reports,
                bench.leases,
                bench.deadlines,
                bench.host.surroundings(),
                new UnreadableJobs());
        return new ActivityWorker(
                bench.store,
                ActivityPool.of(bench.queue),
                Set.of(ActivityBench.ACTIVITY),
                new ActivityStarter(host, bench.session::id),
                new RulesWatch(
                        bench.store,
                        Set.of(ActivityBench.QUEUE),
                        new PollPace(ActivityBench.POLL, bench.random),
                        rules -> {},
                        new Tries(System::nanoTime, UnaryOperator.identity())),
                bench.share,
                new PollPace(ActivityBench.POLL, bench.random));
    }

    @Test
    void the_time_begins_anew_where_a_worker_could_read_it() {
        JobKey key = bench.schedule(UNFIT);
        bench.work();
        bench.pass(Duration.ofMinutes(14));
        ClaimedJob elsewhere = claimedElsewhere().getFirst();
        Notes notes = Notes.of(elsewhere, bench.clock.now());
        assertThat(notes.read(bench.clock.now())).isTrue();
        bench.memory.update(List.of(
                new JobUpdate.Annotate(key, elsewhere.lease(), notes.json(), null),
                new JobUpdate.Release(key, elsewhere.lease(), Duration.ZERO, null, true, null)));

        assertThat(claimedHere(Duration.ofMinutes(2))).isTrue();

        assertThat(bench.state(key)).isEqualTo("ready 1");
        assertThat(notes(key)).hasSize(2);
        assertThat(((ActivityAttemptFailed) notes(key).getFirst()).nextAttemptAt())
                .isNotNull();
    }

    @Test
    void the_history_says_from_when_to_when_it_was_not_read() {
        JobKey key = bench.schedule("[\"x\"]");
        ClaimedJob elsewhere = claimedElsewhere().getFirst();
        Notes notes = new Notes(null);
        notes.add(new AttemptEvents(1, 1, elsewhere.lease(), bench.clock.now(), "other", null)
                .last(Notes.NOT_READ, bench.host.code().failure("Work.run", new IllegalStateException("new class"))));
        bench.memory.update(List.of(
                new JobUpdate.Unread(key, elsewhere.lease(), Duration.ZERO, notes.json(), "worker other can't")));
        bench.pass(Duration.ofMinutes(3));

        bench.work();

        assertThat(bench.outcome(key)).isInstanceOf(ActivityCompleted.class);
        assertThat(bench.notes(key)).singleElement().satisfies(note -> {
            ActivityAttemptFailed unread = (ActivityAttemptFailed) note;
            assertThat(unread.reason()).isEqualTo("not read");
            assertThat(unread.attempt()).isEqualTo(1);
            assertThat(Duration.between(unread.at(), unread.nextAttemptAt())).isEqualTo(Duration.ofMinutes(3));
        });
    }

    @Test
    void the_log_says_it_once_for_an_activity_and_not_each_time() {
        IntStream.range(0, 20).forEach(i -> bench.schedule(UNFIT));
        bench.work();
        for (int second = 0; second < 120; second++) {
            claimedHere(Duration.ofSeconds(1));
        }

        assertThat(lines.list).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage())
                    .startsWith("Work.run of ")
                    .contains("is left to other workers; if none can read it for PT15M, it becomes an incident. Further"
                            + " jobs of this activity that can't be read here are logged at level DEBUG only. worker me can't"
                            + " read it: dev.durable.PayloadException: argument 1");
        });
    }

    @Test
    void beyond_a_thousand_they_stay_away_from_all_for_ten_seconds_and_none_is_claimed_again_and_again() {
        List<JobKey> keys = IntStream.range(0, UnreadableJobs.MOST + 5)
                .mapToObj(i -> bench.schedule(UNFIT))
                .toList();

        bench.work();
        assertThat(claimedHere(Duration.ofSeconds(2))).isFalse();

        assertThat(keys.stream().map(bench::state))
                .filteredOn("ready 1"::equals)
                .hasSize(UnreadableJobs.MOST);
        assertThat(keys.stream().map(bench::state))
                .filteredOn("delayed 1"::equals)
                .hasSize(5);
    }
}
