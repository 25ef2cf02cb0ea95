package dev.durable.internal.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.ActivityCancellationType;
import dev.durable.ActivityOptions;
import dev.durable.RetryPolicy;
import dev.durable.client.ActivityState;
import dev.durable.history.OptionsJson;
import dev.durable.internal.observe.FailureLog;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.internal.upkeep.ExternalTimeouts;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.JobRoute;
import dev.durable.store.OpenJob;
import dev.durable.store.RunKey;
import dev.durable.store.StoreClock;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.slf4j.LoggerFactory;

/** The timeout of an attempt that the database found overdue while this process's estimate of its clock lags. */
class ExternalAttemptsTest {
    private static final Instant NOW = Instant.parse("2026-01-05T10:00:00Z");
    /** A time a little after this process's clock, which has passed by the database's. */
    private static final Instant OVER = NOW.plusMillis(200);

    private static final Instant AHEAD = NOW.plusSeconds(3600);

    private final ExternalAttempts attempts = new ExternalAttempts(
            InMemoryHistoryStore.on(new StoreClock() {
                @Override
                public Instant now() {
                    return NOW;
                }

                @Override
                public long nanoTime() {
                    return 0;
                }
            }),
            new Random(42),
            new AttemptServices.Code(
                    name -> Optional.empty(), new PayloadCodec(10_000), new FailureCodec(new PayloadCodec(10_000))),
            "worker-1",
            new FailureLog("", () -> 0, failure -> null));

    @Test
    void schedule_to_close_that_is_over_by_the_database_alone_ends_the_activity() {
        assertThat(attempts.overdue(job(AHEAD, null, OVER)).order())
                .isInstanceOfSatisfying(
                        JobOrder.End.class,
                        end -> assertThat(end.outcome().payload()).contains("SCHEDULE_TO_CLOSE"));
    }

    @Test
    void of_two_that_are_over_at_once_schedule_to_close_counts() {
        assertThat(attempts.overdue(job(OVER, OVER, OVER)).order()).isInstanceOf(JobOrder.End.class);
    }

    @Test
    void silence_that_is_over_first_gives_another_attempt_and_says_so() {
        assertThat(attempts.overdue(job(AHEAD, OVER, AHEAD)).order())
                .isInstanceOfSatisfying(
                        JobOrder.GiveBack.class,
                        back -> assertThat(back.lastFailure()).contains("heartbeat"));
    }

    @Test
    void start_to_close_that_is_over_gives_another_attempt_and_says_so() {
        assertThat(attempts.overdue(job(OVER, AHEAD, null)).order())
                .isInstanceOfSatisfying(
                        JobOrder.GiveBack.class,
                        back -> assertThat(back.lastFailure()).contains("start-to-close"));
    }

    /** Each process looks for overdue attempts, and one of them is first. */
    @Test
    @ResourceLock("dev.durable.failed")
    void only_the_process_whose_order_was_carried_out_logs_that_the_time_is_over() {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.durable.failed.Activity");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            new ExternalTimeouts(answering(JobOrder.Outcome.CHANGED), attempts).upTo(10);
            assertThat(lines.list).isEmpty();

            new ExternalTimeouts(answering(JobOrder.Outcome.APPLIED), attempts).upTo(10);
            assertThat(lines.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .containsExactly(
                            "attempt 1 of Bank.pay (activity 1 of workflow order-1) timed out (SCHEDULE_TO_CLOSE),"
                                    + " and no other follows");
        } finally {
            logger.detachAppender(lines);
        }
    }

    /** Another report may come first, and then it is decided again. */
    @Test
    @ResourceLock("dev.durable.failed")
    void a_failure_that_a_holder_tells_is_no_line_before_its_order_was_carried_out() {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.durable.failed.Attempt");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            ExternalAttempts.Judged judged =
                    attempts.failed(job(AHEAD, null, AHEAD), new IllegalStateException("declined"), new UUID(3, 3));
            assertThat(lines.list).isEmpty();

            judged.log().run();
            assertThat(lines.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .containsExactly(
                            "attempt 1 of Bank.pay (activity 1 of workflow order-1) failed, and another follows in"
                                    + " 1 ms: java.lang.IllegalStateException: declined");
        } finally {
            logger.detachAppender(lines);
        }
    }

    private static HistoryStore answering(JobOrder.Outcome outcome) {
        return (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) ->
                        method.getName().equals("order") ? List.of(outcome) : List.of(job(AHEAD, null, OVER)));
    }

    private static OpenJob job(Instant deadline, Instant silentUntil, Instant close) {
        RetryPolicy policy = new RetryPolicy(9, Duration.ofMillis(1), 1, Duration.ofMillis(1), 0, List.of(), 3);
        ActivityOptions options = new ActivityOptions(
                null,
                Duration.ofMinutes(1),
                null,
                null,
                null,
                policy,
                0,
                false,
                false,
                false,
                Map.of(),
                null,
                ActivityCancellationType.TRY_CANCEL,
                null);
        return new OpenJob(
                new JobKey(new RunKey(new UUID(1, 1), "order-1"), 1),
                new JobRoute("Bank.pay", "default", "Paying"),
                new OpenJob.Status(ActivityState.EXTERNAL, false, true, false, 0),
                new JobOrder.Seen(new UUID(2, 2), 1, 0),
                null,
                OptionsJson.encode(options),
                new OpenJob.Times(NOW.minusSeconds(60), null, NOW.minusSeconds(60), deadline, silentUntil, close),
                null,
                new OpenJob.Report(null, null, null),
                null);
    }
}
