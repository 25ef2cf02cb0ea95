package dev.durable.samples.patterns.fanout;

import dev.durable.Durable;
import dev.durable.MapResult;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Workflow;
import java.util.List;

// docs: pattern-fanout
/** Sends a newsletter to each recipient, unless too many of them can't be reached. */
@Workflow
public class NewsletterWorkflow {
    private final Newsletters newsletters;

    NewsletterWorkflow(Newsletters newsletters) {
        this.newsletters = newsletters;
    }

    public record Report(int sent, List<String> failed, List<String> untried) {}

    @Run
    public Report run(List<String> recipients) {
        int tolerated = recipients.size() / 10;
        MapResult<String, String> sent =
                Promise.map(recipients, o -> o.atOnce(20).toleratedFailures(tolerated), newsletters::send);
        if (!sent.succeeded()) { // more than a tenth: something is wrong, and the rest was not tried
            Durable.logger(NewsletterWorkflow.class)
                    .warn("{} of the messages failed", sent.failures().size());
        }
        List<String> failed =
                sent.failures().stream().map(MapResult.Failed::item).toList();
        return new Report(sent.successes().size(), failed, sent.unfinished());
    }
}
// docs: end
