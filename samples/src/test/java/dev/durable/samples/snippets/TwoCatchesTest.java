package dev.durable.samples.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ActivityFailedException;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.math.BigDecimal;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The exceptions that a workflow's code catches. */
@DurableTest
class TwoCatchesTest {

    @Workflow
    static class Charging {
        private final Payments payments;

        Charging(Payments payments) {
            this.payments = payments;
        }

        // docs: two-catches
        @Run
        String run(UUID payment, BigDecimal amount) {
            try {
                return payments.charge(payment, amount);
            } catch (CardDeclined e) { // named by the signature: itself; getSuppressed()[0] tells attempt and activity
                return "declined: " + e.getMessage();
            } catch (ActivityFailedException e) { // all else, timeouts too
                return e.activity() + " failed in attempt " + e.attempt() + ": " + e.getMessage();
            }
        }
        // docs: end
    }

    private static String charged(TestEngine engine, Exception thrown) {
        engine.register(Charging.class)
                .configuration(Map.of("durable.activities.Payments.retry.max-attempts", "1"))
                .activity(Payments.class, new Payments() {
                    @Override
                    public String charge(UUID payment, BigDecimal amount) throws CardDeclined {
                        if (thrown instanceof CardDeclined declined) {
                            throw declined;
                        }
                        throw (RuntimeException) thrown;
                    }

                    @Override
                    public void refund(UUID payment) {}
                });
        return engine.client()
                .start(Charging.class, "c-1", w -> w.run(new UUID(4, 2), BigDecimal.TEN))
                .result();
    }

    @Test
    void aNamedExceptionIsItself(TestEngine engine) {
        assertThat(charged(engine, new CardDeclined("no cover"))).isEqualTo("declined: no cover");
    }

    @Test
    void allElseIsAnActivityThatFailed(TestEngine engine) {
        assertThat(charged(engine, new IllegalStateException("503")))
                .startsWith("Payments.charge failed in attempt 1: ")
                .contains("503");
    }
}
