package dev.durable.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A test that failed may have left an activity's body that waits for it. */
@Timeout(60)
@Tag("slow")
class HangingBodyTest {
    private static final Duration PATIENCE = Duration.ofMillis(300);

    @Activity(startToClose = "1h")
    interface Work {
        void run();
    }

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    @AfterEach
    void release() {
        released.countDown();
    }

    @ParameterizedTest
    @EnumSource
    void it_is_interrupted_and_the_test_fails_and_says_where_it_was(Store store) throws Exception {
        TestEngine engine = withRunning(store, () -> {
            try {
                released.await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });

        assertThatThrownBy(engine::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the test is over with activity bodies still running. A body may wait for what the test did"
                        + " not come to do, or for time to move (engine.advanceWhileRunning). It is interrupted now;"
                        + " histories are not replayed")
                .satisfies(stuck -> assertThat(stuck.getSuppressed())
                        .singleElement()
                        .satisfies(where -> assertThat(where)
                                .hasMessageEndingWith("is here")
                                .hasStackTraceContaining("HangingBodyTest")));
        assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void one_that_ignores_its_interrupt_is_left_behind(Store store) throws Exception {
        TestEngine engine = withRunning(store, () -> {
            while (released.getCount() > 0) {
                try {
                    released.await();
                } catch (InterruptedException e) {
                    interrupted.countDown();
                }
            }
        });

        assertThatThrownBy(engine::close).hasMessageContaining("activity bodies still running");
        assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private TestEngine withRunning(Store store, Runnable body) throws InterruptedException {
        TestEngine engine = TestEngine.create(store, PATIENCE);
        engine.activity(Work.class, () -> {
            begun.countDown();
            body.run();
        });
        engine.client().enqueue(Work.class, Work::run);
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        return engine;
    }
}
