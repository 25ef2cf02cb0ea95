package dev.durable.samples.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.durable.Activity;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.ActivityFailed;
import dev.durable.testing.Store;
import dev.durable.testing.TestEngine;
import java.io.UncheckedIOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A mock of an exception has no stack, no message and nothing that it suppressed, and is a failure like any other. */
class MockedFailureTest {

    @Activity(retry = @Retry(maxAttempts = 2, initialInterval = "1h"))
    interface Bank {
        String pay(String what);
    }

    @Workflow
    static class Paying {
        private final Bank bank;

        Paying(Bank bank) {
            this.bank = bank;
        }

        @Run
        String run(String what) {
            return bank.pay(what);
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_a_mock_throws_that_is_a_mock_itself_ends_the_test(Store store) {
        UncheckedIOException thrown = mock(UncheckedIOException.class);
        Bank bank = mock(Bank.class);
        when(bank.pay("lamp")).thenThrow(thrown);
        try (TestEngine engine = TestEngine.create(store)) {
            engine.register(Paying.class).activity(Bank.class, bank);
            WorkflowHandle<Paying, String> run = engine.client().start(Paying.class, "p-1", w -> w.run("lamp"));

            assertThatThrownBy(run::result).isInstanceOf(WorkflowFailedException.class);
            assertThat(run.history().events(ActivityFailed.class))
                    .singleElement()
                    .satisfies(end -> {
                        assertThat(end.attempt()).isEqualTo(2);
                        assertThat(end.failure().type())
                                .isEqualTo(thrown.getClass().getName());
                        assertThat(end.failure().message())
                                .isEqualTo(
                                        "(not all of this exception can be read: getStackTrace() gave null, getSuppressed()"
                                                + " gave null)");
                    });
        }
    }
}
