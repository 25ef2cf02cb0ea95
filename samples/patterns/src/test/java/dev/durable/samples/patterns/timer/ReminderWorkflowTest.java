package dev.durable.samples.patterns.timer;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.UpdateRejectedException;
import dev.durable.client.WorkflowHandle;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

@DurableTest
class ReminderWorkflowTest {
    private final List<Instant> sent = new ArrayList<>();

    @Test
    void aReminderComesWhenItIsDue(TestEngine engine) {
        engine.register(ReminderWorkflow.class).activity(Mails.class, (to, text) -> sent.add(engine.now()));
        Instant noon = engine.now().plus(Duration.ofDays(1));

        assertThat(start(engine, noon).result()).isEqualTo(noon);
        assertThat(sent).containsExactly(noon);
    }

    @Test
    void aReminderThatIsMovedAwayAndBackComesAtTheLastTime(TestEngine engine) {
        engine.register(ReminderWorkflow.class).activity(Mails.class, (to, text) -> sent.add(engine.now()));
        Instant noon = engine.now().plus(Duration.ofDays(1));
        var reminder = start(engine, noon);
        engine.advance(Duration.ofHours(1));
        reminder.updateVoid(w -> w.moveTo(noon.plus(Duration.ofDays(300))));
        engine.advance(Duration.ofDays(200));
        assertThat(sent).isEmpty();

        Instant earlier = engine.now().plus(Duration.ofMinutes(5));
        reminder.updateVoid(w -> w.moveTo(earlier));

        Instant due = reminder.query(w -> w.due());
        assertThat(due).isEqualTo(earlier);
        assertThat(reminder.result()).isEqualTo(earlier);
        assertThat(sent).containsExactly(earlier);
    }

    @Test
    void aReminderThatIsOnItsWayIsMovedNoMore(TestEngine engine) {
        engine.register(ReminderWorkflow.class).activity(Mails.class, (to, text) -> {
            throw new IllegalStateException("the mail server is away");
        });
        var reminder = start(engine, engine.now().plus(Duration.ofDays(1)));
        engine.advance(Duration.ofDays(1));

        assertThatThrownBy(() -> reminder.updateVoid(w -> w.moveTo(Instant.MAX)))
                .isInstanceOf(UpdateRejectedException.class)
                .hasMessageContaining("the reminder is on its way");
    }

    private static WorkflowHandle<ReminderWorkflow, Instant> start(TestEngine engine, Instant due) {
        return engine.client().start(ReminderWorkflow.class, "reminder", w -> w.run("ann", "water", due));
    }
}
