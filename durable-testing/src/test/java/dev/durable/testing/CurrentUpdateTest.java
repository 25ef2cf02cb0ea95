package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.UpdateRejectedException;
import dev.durable.Workflow;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code Durable.info().update()}: the update whose handler asks. Each test ends with a replay of its history. */
@DurableTest
class CurrentUpdateTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Workflow
    static class Desk {
        private final List<String> seen = new ArrayList<>();
        private boolean closed;

        @Run
        List<String> run() {
            see("run");
            Durable.await(() -> closed && update().equals("none"));
            see("run");
            return seen;
        }

        @Signal
        void close() {
            see("signal");
            closed = true;
        }

        @Query
        String asked() {
            return update();
        }

        @Update
        String ask(String word) {
            see(word);
            Promise<String> beside = Durable.async(() -> {
                see(word + " beside");
                Durable.sleep(HOUR.multipliedBy(2));
                see(word + " beside");
                return "";
            });
            Durable.sleep(HOUR);
            see(word);
            if (word.equals("waits")) {
                beside.get();
            }
            return update();
        }

        @Update.Validator("ask")
        void check(String word) {
            if (word.isEmpty()) {
                throw new IllegalArgumentException("refused " + update());
            }
        }

        private void see(String who) {
            seen.add(who + ": " + update());
        }

        private static String update() {
            return Durable.info()
                    .update()
                    .map(update -> update.name() + " " + update.id())
                    .orElse("none");
        }
    }

    private static WorkflowHandle<Desk, List<String>> desk(TestEngine engine) {
        engine.register(Desk.class);
        return engine.client().start(Desk.class, "desk", Desk::run);
    }

    @Test
    void handlers_of_updates_and_what_they_start_know_their_update_and_nothing_else_does(TestEngine engine) {
        WorkflowHandle<Desk, List<String>> desk = desk(engine);
        desk.startUpdate("u-1", w -> w.ask("waits"), WaitFor.ACCEPTED);
        desk.startUpdate("u-2", w -> w.ask("leaves"), WaitFor.ACCEPTED);
        String asked = desk.query(Desk::asked);
        engine.advance(HOUR.multipliedBy(3));
        desk.signal(Desk::close);

        assertThat(desk.result())
                .containsExactly(
                        "run: none",
                        "waits: ask u-1",
                        "waits beside: ask u-1",
                        "leaves: ask u-2",
                        "leaves beside: ask u-2",
                        "waits: ask u-1",
                        "leaves: ask u-2",
                        "waits beside: ask u-1",
                        "leaves beside: none",
                        "signal: none",
                        "run: none");
        assertThat(asked).isEqualTo("none");
    }

    @Test
    void a_validator_knows_the_update_that_it_judges(TestEngine engine) {
        WorkflowHandle<Desk, List<String>> desk = desk(engine);

        assertThatThrownBy(() -> desk.startUpdate("u-3", w -> w.ask(""), WaitFor.ACCEPTED))
                .isInstanceOf(UpdateRejectedException.class)
                .hasMessageContaining("refused ask u-3");
        desk.signal(Desk::close);
        assertThat(desk.result()).containsExactly("run: none", "signal: none", "run: none");
    }
}
