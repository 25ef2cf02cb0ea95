package dev.durable.samples.patterns.timer;

import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Update;
import dev.durable.Workflow;
import java.time.Duration;
import java.time.Instant;

// docs: pattern-timer
/** Reminds a person at a time that may be changed until it is reached. */
@Workflow
public class ReminderWorkflow {
    private final Mails mails;
    private Instant due = Instant.MAX;
    private boolean reached;

    ReminderWorkflow(Mails mails) {
        this.mails = mails;
    }

    @Run
    public Instant run(String to, String text, Instant first) {
        due = first;
        while (!reached) {
            Instant end = due;
            Duration wait = Duration.between(Durable.now(), end);
            reached = !Durable.await(wait, () -> !due.equals(end)); // false: the time is over
        }
        mails.send(to, text);
        return due;
    }

    @Update
    public void moveTo(Instant other) {
        due = other;
    }

    @Update.Validator("moveTo")
    void check(Instant other) {
        if (reached) {
            throw new IllegalStateException("the reminder is on its way");
        }
    }

    @Query
    public Instant due() {
        return due;
    }
}
// docs: end
