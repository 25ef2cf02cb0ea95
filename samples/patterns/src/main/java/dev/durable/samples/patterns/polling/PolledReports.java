package dev.durable.samples.patterns.polling;

import dev.durable.ActivityContext;
import dev.durable.DeferException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

// docs: pattern-polling-activity
/** Asks the other system. */
public class PolledReports implements Reports {
    private final ReportSystem system;
    private final Duration often;

    PolledReports(ReportSystem system, Duration often) {
        this.system = system;
        this.often = often;
    }

    @Override
    public String awaitSoon(String job) throws InterruptedException { // keeps a slot, has an answer within a second
        while (true) {
            Optional<String> result = system.result(job);
            if (result.isPresent()) {
                return result.get();
            }
            ActivityContext.current().heartbeat(job); // throws when the workflow is cancelled
            Thread.sleep(often);
        }
    }

    @Override
    public String awaitLater(String job) { // keeps nothing between two looks, and leaves nothing in the history
        return system.result(job).orElseThrow(() -> new DeferException(Duration.ofMinutes(10)));
    }
    // docs: end

    @Override
    public String begin(UUID request, String report) {
        return system.begin(request, report);
    }

    @Override
    public void abandon(String job) {
        system.abandon(job);
    }
    // docs: pattern-polling-activity
}
// docs: end
