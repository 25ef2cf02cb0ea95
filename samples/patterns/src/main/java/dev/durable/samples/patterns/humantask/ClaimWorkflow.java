package dev.durable.samples.patterns.humantask;

import dev.durable.Callback;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import java.math.BigDecimal;
import java.time.Duration;

// docs: pattern-humantask
/** Has an adjuster look at the damage, and pays what the adjuster says. */
@Workflow
public class ClaimWorkflow {
    private final TaskList tasks;

    ClaimWorkflow(TaskList tasks) {
        this.tasks = tasks;
    }

    public record Assessment(String by, BigDecimal amount) {}

    @Run
    public String run(String claim) {
        Callback<Assessment> form = Durable.callback(Assessment.class, Duration.ofDays(14));
        String task = "assess claim " + claim;
        Durable.details(task);
        tasks.show(task, "adjusters", form.token());
        while (!Durable.await(Duration.ofDays(3), form.promise()::isDone)) {
            tasks.remind(task, "adjusters");
        }
        tasks.remove(task);
        try {
            Assessment assessment = form.promise().get();
            return "pay " + assessment.amount() + ", says " + assessment.by();
        } catch (WaitTimedOutException e) {
            return "to the head of the department";
        }
    }
}
// docs: end
