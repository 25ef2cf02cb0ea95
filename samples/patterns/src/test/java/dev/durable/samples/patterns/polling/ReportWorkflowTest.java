package dev.durable.samples.patterns.polling;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.ActivityTimedOutException;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

@DurableTest
class ReportWorkflowTest {
    private final Slow system = new Slow();

    @Test
    void aReportOfSecondsIsThereAtTheThirdLook(TestEngine engine) {
        system.ready = () -> system.looks == 3;

        assertThat(start(engine, true).result()).isEqualTo("report");
        assertThat(system.abandoned).isEmpty();
    }

    @Test
    void aLookThatFailsBeginsNoOtherJob(TestEngine engine) {
        system.ready = () -> {
            if (system.looks == 2) {
                throw new IllegalStateException("503");
            }
            return system.looks == 3;
        };
        var run = start(engine, true);

        assertThat(run.result()).isEqualTo("report");
        assertThat(run.history().events(ActivityAttemptFailed.class)).hasSize(1);
        assertThat(system.begun).isOne();
    }

    @Test
    void aReportOfHoursIsLookedForWithoutATraceInTheHistory(TestEngine engine) {
        Instant ready = engine.now().plus(Duration.ofHours(30));
        system.ready = () -> !engine.now().isBefore(ready);
        var run = start(engine, false);

        assertThat(run.result()).isEqualTo("report");
        assertThat(system.looks).isBetween(180, 182);
        assertThat(run.history())
                .hasEventTypes(
                        "WorkflowStarted",
                        "ActivityScheduled",
                        "ActivityCompleted",
                        "ActivityScheduled",
                        "ActivityCompleted",
                        "WorkflowCompleted");
    }

    @Test
    void aReportThatIsNeverReadyIsAbandonedAfterTwoDays(TestEngine engine) {
        system.ready = () -> false;
        var run = start(engine, false);

        assertThatThrownBy(run::result).hasCauseInstanceOf(ActivityTimedOutException.class);

        assertThat(system.abandoned).containsExactly("job-1");
    }

    private WorkflowHandle<ReportWorkflow, String> start(TestEngine engine, boolean soon) {
        engine.register(ReportWorkflow.class, new PolledReports(system, Duration.ofMillis(1)));
        return engine.client().start(ReportWorkflow.class, "report", w -> w.run("sales", soon));
    }

    private static class Slow implements ReportSystem {
        final List<String> abandoned = new ArrayList<>();
        BooleanSupplier ready = () -> true;
        int begun;
        int looks;

        @Override
        public String begin(UUID request, String report) {
            return "job-" + ++begun;
        }

        @Override
        public Optional<String> result(String job) {
            looks++;
            return ready.getAsBoolean() ? Optional.of("report") : Optional.empty();
        }

        @Override
        public void abandon(String job) {
            abandoned.add(job);
        }
    }
}
