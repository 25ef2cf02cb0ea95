package dev.durable.samples.snippets;

import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Temporal's samples of a sliding window and an updatable timer, as {@code docs/workflows.md} shows them. */
@DurableTest
class WindowTest {
    @Workflow
    static class Courier {
        @Run
        String run(String order) {
            if (order.endsWith("7")) {
                throw new IllegalStateException("nobody at home");
            }
            Durable.sleep(Duration.ofMinutes(order.length()));
            return "sent " + order;
        }
    }

    // docs: sliding-window
    @Workflow
    static class Dispatch {
        private int running;
        private int sent;

        @Run
        int run(int next, int last, int sentBefore) {
            sent = sentBefore;
            Durable.children().forEach(child -> watch(child.resultPromiseAs(String.class)));
            for (int order = next; order <= last; order++) {
                Durable.await(() -> running < 5);
                int from = order;
                if (order == next + 20) { // or Durable.info().shouldContinueAsNew()
                    throw Durable.continueAsNew(Dispatch.class, w -> w.run(from, last, sent));
                }
                watch(Durable.startChild(Courier.class, ChildOptions.id("courier-" + from), w -> w.run("" + from))
                        .resultPromise());
            }
            Durable.await(() -> running == 0);
            return sent;
        }

        private void watch(Promise<String> courier) {
            running++;
            courier.handle((label, failure) -> { // dropped by continueAsNew: the next run watches the child
                running--;
                return failure == null ? ++sent : sent;
            });
        }
    }
    // docs: end

    @Test
    void a_window_of_children_slides_over_several_runs_and_counts_each_child_once(TestEngine engine) {
        engine.register(Dispatch.class, Courier.class);
        var dispatch = engine.client().start(Dispatch.class, "dispatch", w -> w.run(1, 50, 0));

        assertThat(dispatch.result()).as("without 7, 17, 27, 37 and 47").isEqualTo(45);
        assertThat(engine.client().workflows().where(w -> w.type("Courier")).count())
                .isEqualTo(50);
        assertThat(engine.client()
                        .handle("dispatch")
                        .describe()
                        .summary()
                        .chain()
                        .previousRunId())
                .isNotNull();
    }

    // docs: updatable-timer
    /** A timer that may be moved while it runs. */
    static class UpdatableTimer {
        private Instant wakeUp = Instant.EPOCH;

        void sleepUntil(Instant first) {
            wakeUp = first;
            while (isMovedBefore(wakeUp)) {}
        }

        private boolean isMovedBefore(Instant end) {
            return Durable.await(Duration.between(Durable.now(), end), () -> !wakeUp.equals(end));
        }

        void moveTo(Instant other) {
            wakeUp = other;
        }
    }
    // docs: end

    @Workflow
    static class Reminder {
        private final UpdatableTimer timer = new UpdatableTimer();

        @Run
        Instant run() {
            timer.sleepUntil(Durable.now().plus(Duration.ofDays(1)));
            return Durable.now();
        }

        @Signal
        void moveTo(Instant other) {
            timer.moveTo(other);
        }
    }

    @Test
    void a_timer_is_moved_while_it_runs(TestEngine engine) {
        engine.register(Reminder.class);
        var reminder = engine.client().start(Reminder.class, "reminder", Reminder::run);
        engine.settle();
        Instant later = engine.now().plus(Duration.ofDays(3));
        Instant sooner = engine.now().plus(Duration.ofDays(2));
        reminder.signal(w -> w.moveTo(later));
        reminder.signal(w -> w.moveTo(sooner));

        assertThat(reminder.result()).isEqualTo(sooner);
    }
}
