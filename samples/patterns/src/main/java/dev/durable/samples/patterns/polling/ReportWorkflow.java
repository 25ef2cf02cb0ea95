package dev.durable.samples.patterns.polling;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Workflow;

// docs: pattern-polling
/** Has a report made by another system. */
@Workflow
public class ReportWorkflow {
    private final Reports reports;

    ReportWorkflow(Reports reports) {
        this.reports = reports;
    }

    @Run
    public String run(String report, boolean soon) throws InterruptedException {
        String job = reports.begin(Durable.uuid(), report); // a step of its own: no attempt below begins it anew
        Durable.compensate(() -> reports.abandon(job));
        return soon ? reports.awaitSoon(job) : reports.awaitLater(job);
    }
}
// docs: end
