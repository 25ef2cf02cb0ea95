package dev.durable.internal.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ActivityOptions;
import dev.durable.RetryPolicy;
import dev.durable.client.ActivityState;
import dev.durable.history.OptionsJson;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.OpenJob;
import dev.durable.store.RunKey;
import dev.durable.store.StoreClock;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Which timeout an attempt ran out of that the database found overdue, as this process's estimate of its clock lags. */
class ExternalAttemptsTest {
    private static final Instant NOW = Instant.parse("2026-01-05T10:00:00Z");
    /** A little after this process's clock: over by the database's. */
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
            "worker-1");

    @Test
    void schedule_to_close_that_is_over_by_the_database_alone_ends_the_activity() {
        assertThat(attempts.overdue(job(AHEAD, null, OVER)))
                .isInstanceOfSatisfying(
                        JobOrder.End.class,
                        end -> assertThat(end.outcome().payload()).contains("SCHEDULE_TO_CLOSE"));
    }

    @Test
    void of_two_that_are_over_at_once_schedule_to_close_counts() {
        assertThat(attempts.overdue(job(OVER, OVER, OVER))).isInstanceOf(JobOrder.End.class);
    }

    @Test
    void silence_that_is_over_first_gives_another_attempt_and_says_so() {
        assertThat(attempts.overdue(job(AHEAD, OVER, AHEAD)))
                .isInstanceOfSatisfying(
                        JobOrder.GiveBack.class,
                        back -> assertThat(back.lastFailure()).contains("heartbeat"));
    }

    @Test
    void start_to_close_that_is_over_gives_another_attempt_and_says_so() {
        assertThat(attempts.overdue(job(OVER, AHEAD, null)))
                .isInstanceOfSatisfying(
                        JobOrder.GiveBack.class,
                        back -> assertThat(back.lastFailure()).contains("start-to-close"));
    }

    private static OpenJob job(Instant deadline, Instant silentUntil, Instant close) {
        RetryPolicy policy = new RetryPolicy(9, Duration.ofMillis(1), 1, Duration.ofMillis(1), 0, List.of(), 3);
        ActivityOptions options = new ActivityOptions(
                null, Duration.ofMinutes(1), null, null, null, policy, 0, false, false, false, Map.of());
        return new OpenJob(
                new JobKey(new RunKey(new UUID(1, 1), "order-1"), 1),
                "Bank.pay",
                "default",
                "Paying",
                ActivityState.EXTERNAL,
                false,
                true,
                false,
                new JobOrder.Seen(new UUID(2, 2), 1, 0),
                0,
                null,
                OptionsJson.encode(options),
                new OpenJob.Times(NOW.minusSeconds(60), null, NOW.minusSeconds(60), deadline, silentUntil, close),
                null,
                null,
                null,
                null,
                null);
    }
}
