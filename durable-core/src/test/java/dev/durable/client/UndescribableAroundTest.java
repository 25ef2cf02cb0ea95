package dev.durable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.intercept.ActivityCall;
import dev.durable.intercept.ContextPropagator;
import dev.durable.intercept.Next;
import dev.durable.intercept.WorkerInterceptor;
import dev.durable.observe.ActivityAttemptEnd;
import dev.durable.observe.EngineObserver;
import dev.durable.store.contract.Undescribable;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Exceptions that can't be described, out of what the application has around its bodies. */
@Timeout(120)
class UndescribableAroundTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @Activity(retry = @Retry(maxAttempts = 1))
    interface Desk {
        String book(String what);

        Trip plan(String odd);
    }

    /** Its JSON can't be written. */
    record Trip(String odd) {
        @Override
        public String odd() {
            throw Undescribable.valueOf(odd).get();
        }
    }

    static final class RealDesk implements Desk {
        @Override
        public String book(String what) {
            ActivityContext.current().onCancel(() -> {
                throw Undescribable.valueOf(what).get();
            });
            return what;
        }

        @Override
        public Trip plan(String odd) {
            return new Trip(odd);
        }
    }

    @Workflow
    static class Travel {
        private static final org.slf4j.Logger log = Durable.logger(Travel.class);
        private final Desk desk;

        Travel(Desk desk) {
            this.desk = desk;
        }

        @Run
        String run(String odd, boolean plans) {
            log.warn("a line with an exception", Undescribable.valueOf(odd).get());
            return plans ? String.valueOf(desk.plan(odd)) : desk.book(odd);
        }
    }

    private static DurableEngine.Builder engine() {
        return DurableEngine.builder(new InMemoryHistoryStore())
                .register(Travel.class)
                .activity(Desk.class, new RealDesk());
    }

    private static WorkflowHandle<Travel, String> start(DurableEngine engine, Undescribable odd, boolean plans) {
        return engine.client().start(Travel.class, StartOptions.id(odd + " " + plans), w -> w.run(odd.name(), plans));
    }

    @ParameterizedTest
    @EnumSource
    void observers_and_scopes_and_lines_of_the_log_change_no_end(Undescribable odd) {
        try (DurableEngine engine = engine().observe(new EngineObserver() {
                    @Override
                    public void attemptEnded(ActivityAttemptEnd end) {
                        throw odd.get();
                    }
                })
                .propagate(new ContextPropagator() {
                    @Override
                    public String name() {
                        return "odd";
                    }

                    @Override
                    public Map<String, String> capture() {
                        return Map.of();
                    }

                    @Override
                    public Scope restore(Map<String, String> context) {
                        return () -> {
                            throw odd.get();
                        };
                    }
                })
                .start()) {
            assertThat(start(engine, odd, false).result(PATIENCE)).isEqualTo(odd.name());
        }
    }

    @ParameterizedTest
    @EnumSource
    void interceptors_and_results_that_can_not_be_written_fail_the_activity(Undescribable odd) {
        try (DurableEngine engine = engine().intercept(new WorkerInterceptor() {
                    @Override
                    public void activity(ActivityCall call, Next next) {
                        next.proceed();
                        throw odd.get();
                    }
                })
                .start()) {
            WorkflowHandle<Travel, String> intercepted = start(engine, odd, false);
            WorkflowHandle<Travel, String> unwritten = start(engine, odd, true);

            assertThatThrownBy(() -> intercepted.result(PATIENCE)).isInstanceOf(WorkflowFailedException.class);
            assertThatThrownBy(() -> unwritten.result(PATIENCE)).isInstanceOf(WorkflowFailedException.class);
        }
    }
}
