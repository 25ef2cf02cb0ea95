package dev.durable.internal.drive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.OnExhausted;
import dev.durable.RetryIf;
import dev.durable.internal.attempt.Cancellation;
import dev.durable.internal.attempt.Cancellation.Cause;
import dev.durable.internal.attempt.NamedRetryIf;
import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.internal.engine.LogCapture;
import dev.durable.internal.observe.Tries;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.internal.upkeep.Alerts;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Exceptions of an application's code that are no results are logged as its sanitizer returns them. */
@Timeout(60)
class LoggedExceptionsTest {
    private static final String SECRET = "s3cr3t-of-mine";

    private final ActivityBench bench = new ActivityBench();
    private final UnaryOperator<Throwable> loggable =
            new FailureCodec(new PayloadCodec(10_000), text -> text.replace(SECRET, "(kept)"))::loggable;

    private static IllegalStateException failure() {
        return new IllegalStateException("with " + SECRET, new IllegalArgumentException("of " + SECRET));
    }

    private static <T> T fail() {
        throw failure();
    }

    private static void says(LogCapture log, String line) {
        assertThat(log.text())
                .contains(line)
                .contains("with (kept)")
                .contains("of (kept)")
                .doesNotContain(SECRET);
    }

    @Test
    void a_listener_of_alerts() {
        bench.options = bench.with(policy -> policy.withMaxAttempts(1).withOnExhausted(OnExhausted.INCIDENT));
        bench.ran(argument -> {
            throw new IllegalStateException("declined");
        });
        try (LogCapture log = LogCapture.of(Alerts.class)) {
            new Alerts(bench.memory, alert -> fail(), loggable, new Tries(System::nanoTime, UnaryOperator.identity()))
                    .upTo(10);
            says(log, "its listener failed");
        }
    }

    static final class Undecided implements RetryIf {
        @Override
        public boolean retry(Throwable failure, int attempt) {
            return fail();
        }
    }

    @Test
    void a_retryIf() {
        try (LogCapture log = LogCapture.of(NamedRetryIf.class)) {
            new NamedRetryIf(Undecided.class.getName(), getClass().getClassLoader(), loggable).retry(failure(), 1);
            says(log, "can't be asked");
        }
    }

    @Test
    void an_action_of_a_cancelled_body_errors_as_well() {
        Cancellation cancellation = new Cancellation(Runnable::run, loggable);
        cancellation.onCancel(() -> {
            throw new AssertionError("with " + SECRET, new IllegalArgumentException("of " + SECRET));
        });
        try (LogCapture log = LogCapture.of(Cancellation.class)) {
            cancellation.request(Cause.REQUESTED, "the workflow wants it");
            says(log, "a cancel action of an activity failed");
        }
    }

    @Test
    void an_action_at_a_deadline() {
        Deadlines deadlines = new Deadlines(bench.clock, loggable);
        deadlines.in(Duration.ZERO, LoggedExceptionsTest::fail);
        try (LogCapture log = LogCapture.of(Deadlines.class)) {
            deadlines.runOnce();
            says(log, "a deadline's action failed");
        }
    }

    @Test
    void a_task_among_so_many_at_once_and_one_of_a_crew() throws Exception {
        try (LogCapture log = LogCapture.of(BoundedExecutor.class)) {
            new BoundedExecutor(Runnable::run, 1, loggable).execute(LoggedExceptionsTest::fail);
            says(log, "a task failed");
        }
        CountDownLatch over = new CountDownLatch(1);
        try (LogCapture log = LogCapture.of(BodyExecutor.class);
                BodyExecutor crew = new BodyExecutor(Thread.ofPlatform().factory(), Duration.ofMinutes(1), loggable)) {
            crew.execute(LoggedExceptionsTest::fail);
            // By the one thread that there is: it has logged before.
            crew.execute(over::countDown);
            over.await();
            log.await("a task failed");
            says(log, "a task failed");
        }
    }

    @Test
    void a_step_of_a_loop() throws Exception {
        try (LogCapture log = LogCapture.of(Loop.class);
                Loop loop = new Loop("trial", LoggedExceptionsTest::fail, false, loggable)) {
            loop.start();
            log.await("durable-trial failed");
            says(log, "durable-trial failed and goes on in");
        }
    }
}
