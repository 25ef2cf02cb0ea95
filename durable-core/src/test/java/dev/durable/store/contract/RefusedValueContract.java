package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityFailedException;
import dev.durable.Durable;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.StoreRefusedException;
import dev.durable.Workflow;
import dev.durable.client.ActivityHandle;
import dev.durable.client.ActivityState;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.ExternalActivity;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A store that refuses a value for good ends no attempt in an endless loop: for each way in which a worker or a client brings a
 * value to it.
 */
@Timeout(120)
public abstract class RefusedValueContract {
    /** The store refuses each text that has it: as the outcome of an activity, in notes and details, in an event, in a message. */
    public static final String REFUSED = "REFUSED-BY-THE-STORE";

    private static final Duration SOON = Duration.ofSeconds(60);

    /** An engine on such a store, which looks for work often. */
    protected abstract DurableEngine.Builder engine();

    /** When the engine is closed. */
    protected void closeStore() {}

    @Activity(startToClose = "20s", retry = @Retry(maxAttempts = 2, initialInterval = "1ms"))
    interface Desk {
        String returns(String value);

        String fails(String message);

        String beats(String details);

        String laterByToken();
    }

    @Workflow(name = "Refused")
    static class Trip {
        private final Desk desk;
        private String said = "";

        Trip(Desk desk) {
            this.desk = desk;
        }

        @Run
        String run(String how, String value) {
            try {
                return switch (how) {
                    case "returns" -> desk.returns(value);
                    case "fails" -> desk.fails("x");
                    case "beats" -> desk.beats("x");
                    case "token" -> desk.laterByToken();
                    case "result" -> REFUSED;
                    default -> {
                        Durable.await(() -> !said.isEmpty());
                        yield said;
                    }
                };
            } catch (ActivityFailedException e) {
                return "failed after attempt " + e.attempt() + ": "
                        + e.getCause().getMessage();
            }
        }

        @Signal
        void say(String what) {
            said = what;
        }
    }

    private final AtomicInteger begun = new AtomicInteger();
    private final BlockingQueue<String> tokens = new LinkedBlockingQueue<>();
    private DurableEngine engine;

    private final class Office implements Desk {
        @Override
        public String returns(String value) {
            begun.incrementAndGet();
            return REFUSED;
        }

        @Override
        public String fails(String message) {
            begun.incrementAndGet();
            throw new IllegalStateException(REFUSED);
        }

        @Override
        public String beats(String details) {
            begun.incrementAndGet();
            ActivityContext.current().heartbeat(REFUSED);
            return "alive";
        }

        @Override
        public String laterByToken() {
            begun.incrementAndGet();
            tokens.add(ActivityContext.current().completeLater());
            return "";
        }
    }

    @BeforeEach
    void start() {
        engine = engine().register(Trip.class, new Office()).start();
    }

    @AfterEach
    void stop() {
        engine.close();
        closeStore();
    }

    private DurableClient client() {
        return engine.client();
    }

    private WorkflowHandle<Trip, String> started(String how) {
        return client().start(Trip.class, StartOptions.id(how), w -> w.run(how, "x"));
    }

    @Test
    void a_result_that_is_refused_is_the_failure_of_its_activity_as_one_that_is_too_large() {
        assertThat(started("returns").result(SOON)).startsWith("failed after attempt 1: ");
        assertThat(begun).as("bodies begun").hasValue(1);
        assertThat(client().workflows().where(w -> w.stalled()).stream()).isEmpty();
    }

    @Test
    void a_failure_whose_words_are_refused_uses_the_attempt() {
        assertThat(started("fails").result(SOON)).startsWith("failed after attempt 2: ");
        assertThat(begun).as("bodies begun").hasValue(2);
    }

    @Test
    void details_of_heartbeats_that_are_refused_keep_no_attempt_from_its_end() {
        assertThat(started("beats").result(SOON)).isEqualTo("alive");
        assertThat(begun).as("bodies begun").hasValue(1);
    }

    @Test
    void a_background_job_whose_result_is_refused_fails_and_waits_for_an_operator() {
        ActivityHandle job = client().enqueue(Desk.class, StartOptions.id("job"), d -> d.returns("x"));

        awaitThat(() -> client().deadLetters().count() == 1);
        assertThat(job.control().describe().state()).isEqualTo(ActivityState.DEAD);
        assertThat(begun).as("bodies begun").hasValue(1);
    }

    @Test
    void the_holder_of_a_token_is_told_and_may_send_another_value() throws InterruptedException {
        WorkflowHandle<Trip, String> run = started("token");
        ExternalActivity activity = client().activity(tokens.poll(60, TimeUnit.SECONDS));

        assertThatThrownBy(() -> activity.complete(REFUSED)).isInstanceOf(StoreRefusedException.class);
        assertThatThrownBy(() -> activity.fail(new IllegalStateException(REFUSED)))
                .isInstanceOf(StoreRefusedException.class);
        activity.complete("by hand");

        assertThat(run.result(SOON)).isEqualTo("by hand");
    }

    @Test
    void a_start_and_a_signal_that_are_refused_are_told_so_by_a_type_of_their_own() {
        assertThatThrownBy(() -> client().start(Trip.class, StartOptions.id("no"), w -> w.run("waits", REFUSED)))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("nothing was written");
        WorkflowHandle<Trip, String> run = started("waits");
        assertThatThrownBy(() -> run.signal(w -> w.say(REFUSED))).isInstanceOf(StoreRefusedException.class);
        run.signal(w -> w.say("all right"));

        assertThat(run.result(SOON)).isEqualTo("all right");
    }

    @Test
    void a_run_whose_own_result_is_refused_stalls_and_says_why() {
        WorkflowHandle<Trip, String> run = started("result");

        awaitThat(() -> run.describe().stalledBy() != null);
        assertThat(run.describe().stalledBy()).contains("can't be written").contains("nothing was written");
    }

    private static void awaitThat(BooleanSupplier wanted) {
        long deadline = System.nanoTime() + SOON.toNanos();
        while (!wanted.getAsBoolean()) {
            assertThat(System.nanoTime()).as("not in time").isLessThan(deadline);
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }
}
