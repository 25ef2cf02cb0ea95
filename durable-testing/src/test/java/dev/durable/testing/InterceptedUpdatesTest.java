package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Update;
import dev.durable.Workflow;
import dev.durable.client.WaitFor;
import dev.durable.intercept.ClientInterceptor;
import dev.durable.intercept.Next;
import dev.durable.intercept.SentUpdate;
import dev.durable.intercept.StartCall;
import dev.durable.intercept.TurnCall;
import dev.durable.intercept.WorkerInterceptor;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Interceptors around updates: the caller's sends, and the turns of their handlers. */
@DurableTest
class InterceptedUpdatesTest {

    @Workflow
    static class Trip {
        private String stamp = "";

        @Run
        String run() {
            Durable.await(() -> !stamp.isEmpty());
            return stamp;
        }

        @Update
        String stamp(String by) {
            stamp = by;
            return "stamped by " + by;
        }
    }

    /** Notes what passes through it, and refuses an update with the id "refused". */
    static class Notes implements ClientInterceptor, WorkerInterceptor {
        private final List<String> lines = new CopyOnWriteArrayList<>();

        @Override
        public void start(StartCall call, Next next) {
            lines.add("start " + call.kind() + " with " + call.update().orElse("none") + " and no signal "
                    + call.signal().isEmpty());
            next.proceed();
        }

        @Override
        public void update(SentUpdate call, Next next) {
            if (call.updateId().equals("refused")) {
                throw new IllegalStateException("no update today");
            }
            lines.add(
                    "update " + call.name() + " (" + call.updateId() + ") to " + call.type() + " " + call.workflowId());
            next.proceed();
        }

        @Override
        public void turn(TurnCall call, Next next) throws Exception {
            if (call.update() != null) {
                lines.add("turn " + call.event() + " " + call.update() + ", no signal " + (call.signal() == null));
            }
            next.proceed();
        }
    }

    @Test
    void an_update_passes_through_its_sender_and_the_turn_of_its_handler(TestEngine engine) {
        Notes notes = new Notes();
        engine.intercept(notes);
        engine.register(Trip.class);
        var run = engine.client().start(Trip.class, "trip-1", Trip::run);

        assertThatThrownBy(() -> run.startUpdate("refused", w -> w.stamp("bob"), WaitFor.ACCEPTED))
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessage("no update today");
        assertThat(run.startUpdate("u-1", w -> w.stamp("ann"), WaitFor.COMPLETED)
                        .result())
                .isEqualTo("stamped by ann");

        assertThat(run.result()).isEqualTo("ann");
        assertThat(run.history()).receivedUpdates("stamp").receivedSignals();
        assertThat(notes.lines)
                .containsExactly(
                        "start WORKFLOW with none and no signal true",
                        "update stamp (u-1) to Trip trip-1",
                        "turn UpdateAccepted stamp, no signal true");
    }

    @Test
    void an_update_with_start_passes_through_as_a_start(TestEngine engine) {
        Notes notes = new Notes();
        engine.intercept(notes);
        engine.register(Trip.class);

        assertThat(engine.client()
                        .updateWithStart(Trip.class, "trip-1", Trip::run, w -> w.stamp("ann"))
                        .update()
                        .result())
                .isEqualTo("stamped by ann");

        assertThat(notes.lines)
                .containsExactly(
                        "start UPDATE_WITH_START with stamp and no signal true",
                        "turn UpdateAccepted stamp, no signal true");
    }
}
