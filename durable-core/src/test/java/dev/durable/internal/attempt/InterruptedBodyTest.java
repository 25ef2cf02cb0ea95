package dev.durable.internal.attempt;

import static dev.durable.internal.dispatch.ActivityBench.context;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.ActivityCancellationType;
import dev.durable.ActivityOptions;
import dev.durable.RetryPolicy;
import dev.durable.StoreUnavailableException;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.internal.dispatch.InterruptedBodies;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobKey;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewJob;
import dev.durable.store.TransactionalActivities;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A transactional body whose transaction is ended from outside, or can't begin. */
class InterruptedBodyTest {
    private final ActivityBench bench = new ActivityBench();
    private final Database database = new Database();

    /** A database whose transactions are ended so often. */
    private final class Database implements TransactionalActivities {
        private int outagesInBodies;
        private int outagesBefore;

        @Override
        public int atOnce() {
            return 1;
        }

        @Override
        public Outcome run(Duration left, Body body) {
            if (outagesBefore-- > 0) {
                throw new StoreUnavailableException("no connection");
            }
            Optional<JobUpdate.Settle> settlement = body.in(new Transaction() {
                @Override
                public <T> T as(Class<T> type) {
                    return null;
                }
            });
            if (outagesInBodies-- > 0) {
                throw new StoreUnavailableException("the connection is gone");
            }
            settlement.ifPresent(settle -> bench.memory.update(List.of(settle)));
            return settlement.isPresent() ? Outcome.COMMITTED : Outcome.ROLLED_BACK;
        }
    }

    @BeforeEach
    void transactionalWithOneAttempt() {
        bench.reports.transactional(Optional.of(database));
        bench.options = options(false);
    }

    private static ActivityOptions options(boolean atMostOnce) {
        return new ActivityOptions(
                null,
                Duration.ofMinutes(10),
                null,
                null,
                null,
                new RetryPolicy(1, Duration.ofSeconds(1), 1, Duration.ofSeconds(1), 0, List.of(), 3),
                0,
                true,
                false,
                atMostOnce,
                Map.of("tenant", "a"),
                null,
                ActivityCancellationType.TRY_CANCEL,
                null);
    }

    @Test
    void its_job_is_given_back_for_longer_each_time_and_uses_no_attempt() {
        database.outagesInBodies = 12;
        JobKey key = bench.ran(argument -> {
            context().heartbeat("here");
            return context().info().attempt();
        });
        Duration waited = Duration.ZERO;
        for (int i = 0; i < 10_000 && bench.inbox(key).isEmpty(); i++) {
            assertThat(bench.state(key)).isEqualTo("delayed 1 \"here\"");
            bench.pass(Duration.ofMillis(100));
            waited = waited.plusMillis(100);
            bench.work();
        }

        assertThat(((ActivityCompleted) bench.outcome(key)).result().json()).isEqualTo("1");
        assertThat(bench.notes(key)).singleElement().satisfies(note -> {
            ActivityAttemptFailed outage = (ActivityAttemptFailed) note;
            assertThat(outage.reason()).isEqualTo("outage");
            assertThat(outage.attempt()).isEqualTo(1);
            assertThat(outage.omitted()).isEqualTo(11);
            assertThat(outage.failure().message()).isEqualTo("the connection is gone");
        });
        // 0.2 + 0.4 + … + 25.6 s, and four times 30 s, each times 0.5 to 1.5.
        assertThat(waited).isBetween(Duration.ofSeconds(85), Duration.ofSeconds(260));
    }

    @Test
    void what_its_description_says_counts_the_outages() {
        database.outagesInBodies = 1;
        JobKey key = bench.ran(argument -> argument);

        assertThat(bench.memory.details(key.run().runId()).orElseThrow().jobs())
                .singleElement()
                .satisfies(job -> assertThat(job.lastFailure())
                        .isEqualTo("given back without using an attempt (1 so far):"
                                + " dev.durable.StoreUnavailableException: the connection is gone"));
    }

    @Test
    void whatever_it_throws_is_not_its_failure() {
        database.outagesInBodies = 1;
        JobKey key = bench.ran(argument -> {
            throw new IllegalStateException("the ledger is closed");
        });
        assertThat(bench.state(key)).isEqualTo("delayed 1");

        bench.pass(Duration.ofSeconds(1));
        bench.work();

        assertThat(bench.outcome(key))
                .as("its own, without an outage")
                .isInstanceOfSatisfying(
                        ActivityFailed.class,
                        failed -> assertThat(failed.failure().message()).isEqualTo("the ledger is closed"));
    }

    @Test
    void at_most_once_a_body_that_was_called_is_not_called_again_and_one_that_was_not_is() {
        bench.options = options(true);
        database.outagesBefore = 1;
        JobKey key = bench.ran(argument -> argument);
        assertThat(bench.state(key)).isEqualTo("delayed 1");

        database.outagesInBodies = 1;
        bench.pass(Duration.ofSeconds(1));
        bench.work();

        assertThat(bench.outcome(key))
                .isInstanceOfSatisfying(
                        ActivityFailed.class,
                        failed -> assertThat(failed.failure().message()).isEqualTo("the connection is gone"));
    }

    @Test
    void while_its_worker_shuts_down_it_is_given_back_at_once_and_nothing_is_noted() {
        database.outagesInBodies = 1;
        JobKey key = bench.ran(argument -> {
            bench.leases.attempts().forEach(Attempt::shutDown);
            return argument;
        });

        assertThat(bench.state(key)).isEqualTo("ready 1");
        assertThat(bench.memory.details(key.run().runId()).orElseThrow().jobs())
                .singleElement()
                .satisfies(job -> assertThat(job.lastFailure()).isNull());
    }

    @Test
    void the_log_tells_the_first_and_once_a_minute_how_many_followed() {
        JobKey key = bench.schedule("[\"x\"]");
        ClaimedJob job = bench.claimed(key, new NewJob.Lease(UUID.randomUUID(), UUID.randomUUID()));
        AtomicLong nanos = new AtomicLong();
        InterruptedBodies bodies = new InterruptedBodies(nanos::get);
        Logger logger = (Logger) LoggerFactory.getLogger(InterruptedBodies.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            bodies.add(job, "gone");
            bodies.add(job, "gone");
            nanos.addAndGet(Duration.ofSeconds(59).toNanos());
            bodies.add(job, "gone");
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            bodies.add(job, "gone again");
        } finally {
            logger.detachAppender(lines);
        }

        assertThat(lines.list.stream()
                        .filter(line -> line.getLevel() == Level.WARN)
                        .map(ILoggingEvent::getFormattedMessage))
                .containsExactly(
                        "the transaction of Work.run (activity 1 of workflow order-1) was ended from outside, so the activity is"
                                + " given back and run again; 0 others were since the last such line, and more within the next"
                                + " minute are logged at level DEBUG only: gone",
                        "the transaction of Work.run (activity 1 of workflow order-1) was ended from outside, so the activity is"
                                + " given back and run again; 2 others were since the last such line, and more within the next"
                                + " minute are logged at level DEBUG only: gone again");
    }
}
