package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DurableTest
@Tag("slow")
class MemoryPatientKitTest extends PatientKitTest {
    @Override
    Store store() {
        return Store.MEMORY;
    }

    /** A thousand attempts, which take long where each is some commits. */
    @Test
    void a_result_of_a_run_whose_activity_only_fails_ends_the_wait(TestEngine engine) {
        engine.register(Calling.class);
        engine.activity(Work.class, what -> {
            throw new IllegalStateException("no such host");
        });
        var h = engine.client().start(Calling.class, "c-1", w -> w.run("x"));

        assertThatThrownBy(h::result)
                .isInstanceOf(IllegalStateException.class)
                .message()
                .matches("the test waits while an activity fails again and again, and its policy sets no limit:\n"
                        + "  Work\\.run of c-1 is about to begin attempt 1\\d{3}; it failed last with"
                        + " java\\.lang\\.IllegalStateException: no such host\n"
                        + "Let the activity of the test succeed at some time, give it a policy with maxAttempts, or"
                        + " move time with engine\\.advance\\(…\\) and look, instead of waiting for a result\\.");
        h.terminate("seen");
        engine.settle();
    }
}
