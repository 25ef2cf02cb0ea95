package dev.durable.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.observe.EngineObserver;
import dev.durable.observe.RunStall;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The events of Durable in a recording of a production process, and a process without the recorder. */
@Tag("slow")
class FlightRecordingTest {
    private static final List<String> EVENTS =
            List.of("dev.durable.Transition", "dev.durable.ActivityAttempt", "dev.durable.Replay", "dev.durable.Stall");

    @TempDir
    Path folder;

    @Activity
    public static class Work {
        public String work() {
            return "done";
        }
    }

    @Workflow
    public static class Order {
        private final Work work;
        private boolean go;

        public Order(Work work) {
            this.work = work;
        }

        @Run
        public String run() {
            Durable.await(() -> go);
            return work.work();
        }

        @Signal
        public void go() {
            go = true;
        }
    }

    @Workflow(stallOn = IllegalStateException.class)
    public static class Stalling {
        @Run
        public void run() {
            throw new IllegalStateException("not written yet");
        }
    }

    @Test
    void a_recording_has_each_event_with_the_names_of_what_ran() throws Exception {
        Path file = folder.resolve("durable.jfr");
        try (Recording recording = new Recording()) {
            EVENTS.forEach(event -> recording.enable(event).withThreshold(Duration.ZERO));
            recording.start();
            runAnOrderInTwoProcesses();
            recording.stop();
            recording.dump(file);
        }

        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertThat(events).extracting(event -> event.getEventType().getName()).containsAll(EVENTS);
        assertThat(of(events, "dev.durable.ActivityAttempt")).singleElement().satisfies(attempt -> {
            assertThat(attempt.getString("activity")).isEqualTo("Work.work");
            assertThat(attempt.getString("workflowId")).isEqualTo("o-1");
            assertThat(attempt.getString("outcome")).isEqualTo("COMPLETED");
            assertThat(attempt.getInt("attempt")).isEqualTo(1);
        });
        assertThat(of(events, "dev.durable.Replay")).anySatisfy(replay -> {
            assertThat(replay.getString("workflowType")).isEqualTo("Order");
            assertThat(replay.getLong("events")).isEqualTo(1);
        });
        assertThat(of(events, "dev.durable.Transition"))
                .anySatisfy(step -> assertThat(step.getString("outcome")).isEqualTo("APPLIED"));
        assertThat(of(events, "dev.durable.Stall"))
                .anySatisfy(stall -> assertThat(stall.getString("reason")).contains("not written yet"));
    }

    private static List<RecordedEvent> of(List<RecordedEvent> events, String type) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals(type))
                .toList();
    }

    private static void runAnOrderInTwoProcesses() throws InterruptedException {
        InMemoryHistoryStore store = new InMemoryHistoryStore();
        CountDownLatch stalled = new CountDownLatch(1);
        try (DurableEngine first = engine(store, stalled)) {
            first.client().start(Order.class, "o-1", Order::run);
            first.client().startVoid(Stalling.class, "s-1", Stalling::run);
            assertThat(stalled.await(30, TimeUnit.SECONDS)).isTrue();
        }
        try (DurableEngine second = engine(store, stalled)) {
            var order = second.client().handle(Order.class, "o-1");
            order.signal(Order::go);
            assertThat(order.result()).isEqualTo("done");
        }
    }

    private static DurableEngine engine(InMemoryHistoryStore store, CountDownLatch stalled) {
        return DurableEngine.builder(store)
                .register(Order.class, Stalling.class, new Work())
                .observe(new EngineObserver() {
                    @Override
                    public void runStalled(RunStall stall) {
                        stalled.countDown();
                    }
                })
                .start();
    }

    /** As in an image that jlink made without the module. */
    @Test
    void a_process_without_the_recorder_works() throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--limit-modules",
                        "java.base,java.logging,java.naming,java.sql,java.desktop,jdk.unsupported,java.management",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Without.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(out)).contains("recorder false", "result done");
    }

    /** The process. */
    static final class Without {
        public static void main(String[] arguments) throws InterruptedException {
            System.out.println("recorder " + FlightRecording.THERE);
            InMemoryHistoryStore store = new InMemoryHistoryStore();
            try (DurableEngine engine = engine(store, new CountDownLatch(1))) {
                var order = engine.client().start(Order.class, "o-1", Order::run);
                order.signal(Order::go);
                System.out.println("result " + order.result());
            }
        }
    }
}
