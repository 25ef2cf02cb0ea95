package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;
import static dev.durable.testing.DurableAssertions.catchThrowable;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.client.StartOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each wait of a test ends: by the result, by time, or by saying why nothing comes. Run on each kind of store. */
@Timeout(120)
abstract class PatientKitTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Activity(startToClose = "5d")
    interface Work {
        String run(String what);
    }

    @Workflow
    static class Broken {
        @Run
        String run(boolean first) {
            if (!first) {
                Durable.sleep(HOUR);
            }
            throw new StackOverflowError("too deep");
        }
    }

    private static final String TOO_DEEP =
            "Broken b-1 is stalled: java.lang.StackOverflowError: too deep at PatientKitTest.Broken.run(PatientKitTest.java:38)."
                    + " An Error does not fail a run, for nothing could un-fail it; the turn is tried again, with the code that"
                    + " is deployed then.";

    @Test
    void a_result_ends_at_once_with_the_text_of_the_stall(TestEngine engine) {
        engine.register(Broken.class);
        var h = engine.client().start(Broken.class, "b-1", w -> w.run(true));

        assertThatThrownBy(h::result)
                .isInstanceOfSatisfying(
                        WorkflowStalledException.class,
                        e -> assertThat(e.workflowId()).isEqualTo("b-1"))
                .hasMessage(TOO_DEEP);
        assertThat(h.describe().stalledBy()).isEqualTo(TOO_DEEP);
        assertThatThrownBy(h::result).as("asked again").hasMessage(TOO_DEEP);
    }

    @Test
    void so_do_settle_and_advance(TestEngine engine) {
        engine.register(Broken.class);
        var h = engine.client().start(Broken.class, "b-1", w -> w.run(true));
        assertThatThrownBy(engine::settle)
                .isInstanceOf(WorkflowStalledException.class)
                .hasMessage(TOO_DEEP);
        h.terminate("seen");

        engine.client().start(Broken.class, "b-2", w -> w.run(false));
        assertThatThrownBy(() -> engine.advance(HOUR.multipliedBy(2)))
                .isInstanceOf(WorkflowStalledException.class)
                .hasMessage(TOO_DEEP.replace("b-1", "b-2"));
    }

    @Test
    void so_does_a_future_of_a_result(TestEngine engine) {
        engine.register(Broken.class);
        var h = engine.client().start(Broken.class, "b-1", w -> w.run(false));

        assertThatThrownBy(() -> h.resultAsync().join())
                .hasCauseInstanceOf(WorkflowStalledException.class)
                .hasRootCauseMessage(TOO_DEEP);
    }

    @Test
    void a_stall_that_nothing_has_told_of_fails_the_test_at_its_end() {
        TestEngine engine = engine();
        engine.register(Broken.class);
        engine.client().start(Broken.class, "b-1", w -> w.run(true));

        assertThatThrownBy(engine::close)
                .isInstanceOf(WorkflowStalledException.class)
                .hasMessage(TOO_DEEP);
    }

    @Workflow
    static class Sleepy {
        @Run
        String run(Duration sleep) {
            Durable.sleep(sleep);
            return "slept " + sleep;
        }
    }

    @Test
    void time_moves_while_a_thread_waits_for_a_future_of_a_result(TestEngine engine) throws Exception {
        engine.register(Sleepy.class);
        var one = engine.client().start(Sleepy.class, "s-1", w -> w.run(HOUR));
        assertThat(one.resultAsync().get()).isEqualTo("slept PT1H");

        var two = engine.client().start(Sleepy.class, "s-2", w -> w.run(HOUR.multipliedBy(2)));
        var three = engine.client().start(Sleepy.class, "s-3", w -> w.run(HOUR.multipliedBy(3)));
        CompletableFuture<String> both = two.resultAsync().thenCombine(three.resultAsync(), (a, b) -> a + ", " + b);
        CompletableFuture.allOf(both, one.resultAsync()).join();
        assertThat(both).isCompletedWithValue("slept PT2H, slept PT3H");
    }

    @Test
    void time_stands_still_while_the_one_who_has_the_future_does_something_else(TestEngine engine) {
        engine.register(Sleepy.class);
        var h = engine.client().start(Sleepy.class, "s-1", w -> w.run(HOUR));
        CompletableFuture<String> result = h.resultAsync();

        engine.advance(Duration.ofMinutes(59));
        assertThat(result).isNotDone();
        engine.advance(Duration.ofMinutes(2));
        assertThat(result.join()).isEqualTo("slept PT1H");
    }

    @Test
    void a_result_that_never_comes_names_the_type_that_is_not_registered(TestEngine engine) {
        engine.register(Sleepy.class);
        var h = engine.client().start("Slippy", StartOptions.id("s-1").taskQueue("elsewhere"), HOUR);

        assertThatThrownBy(() -> h.resultAs(String.class)).hasMessage("""
                the test waits for something that will never come: nothing is running, nothing is due at any time, and no engine of this test serves
                  workflow s-1 is of type Slippy, which is not registered here (registered are [Sleepy]): engine.register(Slippy.class)""");
        h.terminate("seen");
        engine.settle();
    }

    @Test
    void a_result_that_never_comes_names_the_queue_that_is_not_served(TestEngine engine) {
        engine.register(Sleepy.class);
        var h = engine.client().start(Sleepy.class, StartOptions.id("s-1").taskQueue("elsewhere"), w -> w.run(HOUR));

        assertThatThrownBy(h::result).hasMessage("""
                the test waits for something that will never come: nothing is running, nothing is due at any time, and no engine of this test serves
                  workflow s-1 is on task queue "elsewhere", and served here are [default]: engine.queue("elsewhere", q -> {})""");
    }

    @Workflow
    static class Racing {
        private final Work work;
        private String note = "";

        Racing(Work work) {
            this.work = work;
        }

        @Run
        String run(String what) {
            Promise<String> done = Durable.async(work::run, what);
            try {
                return done.get(HOUR);
            } catch (WaitTimedOutException e) {
                return "too slow" + note;
            }
        }

        @Signal
        void note(String more) {
            note += more;
        }
    }

    @Test
    void a_result_that_never_comes_names_the_activity_that_has_no_implementation(TestEngine engine) {
        engine.register(Waiting.class);
        var h = engine.client().start(Waiting.class, "w-1", w -> w.run("x"));

        assertThatThrownBy(h::result)
                .hasMessageContaining("activity Work.run of w-1 has no implementation here (implemented are [");
        assertThatThrownBy(h::result).hasMessageEndingWith("]): engine.activity(Work.class, …)");
        h.terminate("seen");
    }

    /** Without a deadline, all that can come comes from outside. */
    @Workflow
    static class Waiting {
        private final Work work;

        Waiting(Work work) {
            this.work = work;
        }

        @Run
        String run(String what) {
            return work.run(what);
        }
    }

    @Test
    void time_passes_a_body_that_waits_by_where_a_timer_of_the_workflow_may_end_the_wait(TestEngine engine) {
        CountDownLatch released = new CountDownLatch(1);
        engine.register(Racing.class).activity(Work.class, what -> {
            awaitUninterruptibly(released);
            return "done";
        });
        var h = engine.client().start(Racing.class, "r-1", w -> w.run("x"));
        h.signal(w -> w.note(", alas"));

        assertThat(h.result()).isEqualTo("too slow, alas");
        released.countDown();
    }

    @Test
    void advancing_passes_a_body_that_waits_by(TestEngine engine) {
        CountDownLatch released = new CountDownLatch(1);
        engine.register(Waiting.class).activity(Work.class, what -> {
            awaitUninterruptibly(released);
            return "done";
        });
        var h = engine.client().start(Waiting.class, "w-1", w -> w.run("x"));
        var before = engine.now();

        engine.advance(HOUR);

        assertThat(Duration.between(before, engine.now())).isGreaterThanOrEqualTo(HOUR);
        released.countDown();
        assertThat(h.result()).isEqualTo("done");
    }

    @Test
    void a_body_that_waits_for_ever_ends_the_wait_for_it() {
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        TestEngine engine = TestEngine.create(store(), Duration.ofMillis(600));
        engine.register(Waiting.class).activity(Work.class, what -> {
            awaitUninterruptibly(released);
            goesOn.countDown();
            return "done";
        });
        var h = engine.client().start(Waiting.class, "w-1", w -> w.run("x"));

        Throwable hanging = catchThrowable(h::result);
        assertThat(hanging)
                .hasMessage(
                        "the test waits with activity bodies still running. They do nothing. A body may wait for what the"
                                + " test did not come to do, or for time to move (engine.advanceWhileRunning)");
        assertThat(hanging.getSuppressed()[0]).hasStackTraceContaining("PatientKitTest");
        assertThatThrownBy(engine::settle).hasMessage(hanging.getMessage());
        released.countDown();
        // Until its thread has heard of it, the body does nothing still.
        awaitUninterruptibly(goesOn);
        assertThat(h.result()).isEqualTo("done");
        engine.close();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // The body of a test that time passes by.
            }
        }
    }

    private TestEngine engine() {
        return TestEngine.create(store());
    }

    abstract Store store();

    @Workflow
    static class Calling {
        private final Work work;

        Calling(Work work) {
            this.work = work;
        }

        @Run
        String run(String what) {
            return work.run(what);
        }
    }
}
