package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityFailedException;
import dev.durable.Durable;
import dev.durable.OnExhausted;
import dev.durable.Query;
import dev.durable.QueryFailedException;
import dev.durable.Retry;
import dev.durable.RetryIf;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.DurableEngine;
import dev.durable.client.ErrorSanitizer;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.Failure;
import dev.durable.history.History;
import dev.durable.history.TimeoutType;
import dev.durable.history.WorkflowFailed;
import dev.durable.store.StoreSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever an exception does when it is asked for its text, its causes or its stack, and whatever the sanitizer does with
 * them: what ended by it has ended, after as many attempts as its policy says, with a text. All kinds of ends, on one engine.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
@Tag("slow")
public abstract class UndescribableEnds {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Map<String, AtomicInteger> BEGUN = new ConcurrentHashMap<>();
    private static final Map<String, String> TOKENS = new ConcurrentHashMap<>();
    private static final Map<String, Supplier<? extends Throwable>> ODD = new ConcurrentHashMap<>();

    @Activity(retry = @Retry(maxAttempts = 1))
    public interface Bank {
        String plainly(String cell);

        @Activity(transactional = true)
        String inTransaction(String cell);

        @Activity(local = true)
        String locally(String cell);

        @Activity(atMostOnce = true)
        String once(String cell);

        @Activity(retry = @Retry(maxAttempts = 3, initialInterval = "1ms", maxInterval = "1ms"))
        String thrice(String cell);

        @Activity(
                retry =
                        @Retry(
                                maxAttempts = 3,
                                initialInterval = "1ms",
                                maxInterval = "1ms",
                                retryIf = RefusesToAnswer.class))
        String asking(String cell);

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.FAIL))
        String inBackground(String cell);

        String byToken(String cell);

        @Activity(startToClose = "200ms")
        String endlessly(String cell);
    }

    /** A question that fails as the exception does. */
    public static final class RefusesToAnswer implements RetryIf {
        @Override
        public boolean retry(Throwable failure, int attempt) {
            throw new NoClassDefFoundError(String.valueOf(failure.getMessage()));
        }
    }

    static final class BankOfOddities implements Bank {
        @Override
        public String plainly(String cell) {
            return ends(cell);
        }

        @Override
        public String inTransaction(String cell) {
            return ends(cell);
        }

        @Override
        public String locally(String cell) {
            return ends(cell);
        }

        @Override
        public String once(String cell) {
            return ends(cell);
        }

        @Override
        public String thrice(String cell) {
            return ends(cell);
        }

        @Override
        public String asking(String cell) {
            return ends(cell);
        }

        @Override
        public String inBackground(String cell) {
            return ends(cell);
        }

        @Override
        public String endlessly(String cell) {
            throw new IllegalStateException() {
                private static final long serialVersionUID = 1L;

                @Override
                public String getMessage() {
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        throw new CancellationException();
                    }
                    return "never";
                }
            };
        }

        @Override
        public String byToken(String cell) {
            BEGUN.computeIfAbsent(cell, each -> new AtomicInteger()).incrementAndGet();
            TOKENS.put(cell, ActivityContext.current().completeLater());
            return "";
        }
    }

    private static String ends(String cell) {
        BEGUN.computeIfAbsent(cell, each -> new AtomicInteger()).incrementAndGet();
        throw UndescribableEnds.<RuntimeException>sneaky(odd(cell));
    }

    private static Throwable odd(String cell) {
        return ODD.get(cell.substring(cell.indexOf(' ') + 1)).get();
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @Workflow
    public static class Ends {
        private final Bank bank;
        private boolean told;

        public Ends(Bank bank) {
            this.bank = bank;
        }

        @Run
        public String run(String cell) {
            return switch (cell.substring(0, cell.indexOf(' '))) {
                case "plainly" -> bank.plainly(cell);
                case "inTransaction" -> bank.inTransaction(cell);
                case "locally" -> bank.locally(cell);
                case "once" -> bank.once(cell);
                case "thrice" -> bank.thrice(cell);
                case "asking" -> bank.asking(cell);
                case "byToken" -> bank.byToken(cell);
                case "endlessly" -> bank.endlessly(cell);
                case "run" -> throw UndescribableEnds.<RuntimeException>sneaky(odd(cell));
                case "promise" ->
                    Durable.<String>async(() -> {
                                throw UndescribableEnds.<RuntimeException>sneaky(odd(cell));
                            })
                            .get();
                case "undo" -> {
                    Durable.compensate(() -> {
                        throw UndescribableEnds.<RuntimeException>sneaky(odd(cell));
                    });
                    throw new IllegalStateException("to be undone");
                }
                default -> {
                    Durable.await(() -> told);
                    yield "told";
                }
            };
        }

        @Signal
        public void tell(String cell) {
            told = true;
            throw UndescribableEnds.<RuntimeException>sneaky(odd(cell));
        }

        @Query
        public String ask(String cell) {
            throw UndescribableEnds.<RuntimeException>sneaky(odd(cell));
        }
    }

    private final List<DurableEngine> engines = new ArrayList<>();
    private DurableEngine engine;

    /** Where the runs of one class of tests are kept. */
    protected abstract StoreSource store();

    protected abstract boolean hasTransactions();

    /** Removes what {@link #store} has made. */
    protected void drop() {}

    /** More exceptions than those that every module can make. */
    protected Map<String, Supplier<? extends Throwable>> more() {
        return Map.of();
    }

    @BeforeAll
    void start() {
        for (Undescribable each : Undescribable.values()) {
            ODD.put(each.name(), each);
        }
        ODD.putAll(more());
        engine = engine(ErrorSanitizer.DEFAULT);
    }

    private DurableEngine engine(ErrorSanitizer sanitizer) {
        DurableEngine started = DurableEngine.builder(store())
                .register(Ends.class)
                .activity(Bank.class, new BankOfOddities())
                .errorSanitizer(sanitizer)
                .drainTimeout(PATIENCE)
                .start();
        engines.add(started);
        return started;
    }

    /** No body is left over for which it would wait. */
    @AfterAll
    void closing_waits_for_nothing() {
        for (DurableEngine each : engines) {
            long before = System.nanoTime();
            assertThat(each.worker().stalledRuns()).isZero();
            each.close();
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(PATIENCE.dividedBy(2));
        }
        drop();
    }

    private Map<String, WorkflowHandle<Ends, String>> started(DurableEngine on, String kind, Iterable<String> odd) {
        Map<String, WorkflowHandle<Ends, String>> started = new LinkedHashMap<>();
        for (String each : odd) {
            String cell = kind + " " + each;
            started.put(cell, on.client().start(Ends.class, StartOptions.id(cell), w -> w.run(cell)));
        }
        return started;
    }

    private Map<String, WorkflowHandle<Ends, String>> started(String kind) {
        return started(engine, kind, ODD.keySet());
    }

    private static History failed(WorkflowHandle<Ends, String> run) {
        assertThatThrownBy(() -> run.result(PATIENCE)).as(run.workflowId()).isInstanceOf(WorkflowFailedException.class);
        return run.history();
    }

    private static void hasText(String cell, @Nullable Failure failure) {
        assertThat(failure).as(cell).isNotNull();
        String type = odd(cell).getClass().getName();
        for (Failure each = failure; ; each = each.cause()) {
            assertThat(each).as("%s is somewhere in %s", type, failure).isNotNull();
            if (each.type().equals(type)) {
                return;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"plainly", "locally", "once", "thrice", "asking"})
    void an_activity_fails_after_the_attempts_of_its_policy(String kind) {
        int attempts = kind.equals("thrice") || kind.equals("asking") ? 3 : 1;
        started(kind).forEach((cell, run) -> {
            History history = failed(run);
            assertThat(history.events(ActivityFailed.class)).as(cell).hasSize(1).allSatisfy(end -> {
                hasText(cell, end.failure());
                assertThat(end.attempt()).isEqualTo(attempts);
            });
            assertThat(history.events(ActivityAttemptFailed.class)).as(cell).hasSize(attempts - 1);
            assertThat(BEGUN.get(cell)).as(cell).hasValue(attempts);
        });
    }

    @Test
    void a_transactional_activity_fails_after_one_attempt() {
        if (!hasTransactions()) {
            return;
        }
        started("inTransaction").forEach((cell, run) -> {
            assertThat(failed(run).events(ActivityFailed.class))
                    .as(cell)
                    .hasSize(1)
                    .allSatisfy(end -> hasText(cell, end.failure()));
            assertThat(BEGUN.get(cell)).as(cell).hasValue(1);
        });
    }

    /** While an end is described the attempt counts as running. */
    @Test
    void a_getter_that_never_returns_runs_out_of_the_time_of_the_attempt() {
        WorkflowHandle<Ends, String> run =
                engine.client().start(Ends.class, StartOptions.id("endlessly x"), w -> w.run("endlessly x"));

        assertThat(failed(run).events(ActivityTimedOut.class))
                .singleElement()
                .satisfies(end -> assertThat(end.timeout()).isEqualTo(TimeoutType.START_TO_CLOSE));
    }

    @Test
    void a_background_job_fails_after_one_attempt() {
        for (String odd : ODD.keySet()) {
            String cell = "inBackground " + odd;
            var job = engine.client().enqueue(Bank.class, StartOptions.id(cell), b -> b.inBackground(cell));

            assertThatThrownBy(() -> job.resultAs(String.class, PATIENCE))
                    .as(cell)
                    .isInstanceOf(ActivityFailedException.class);
            assertThat(BEGUN.get(cell)).as(cell).hasValue(1);
        }
    }

    @Test
    void what_the_holder_of_a_token_tells_ends_the_activity() throws Exception {
        Map<String, WorkflowHandle<Ends, String>> runs = started("byToken");
        for (var each : runs.entrySet()) {
            String cell = each.getKey();
            String token = null;
            for (long end = System.nanoTime() + PATIENCE.toNanos(); token == null && System.nanoTime() < end; ) {
                token = TOKENS.get(cell);
                Thread.onSpinWait();
            }
            engine.client().activity(Objects.requireNonNull(token)).fail(odd(cell));
            assertThat(failed(each.getValue()).events(ActivityFailed.class))
                    .as(cell)
                    .singleElement()
                    .satisfies(end -> hasText(cell, end.failure()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "promise"})
    void a_run_fails(String kind) {
        started(kind)
                .forEach((cell, run) -> assertThat(failed(run).events(WorkflowFailed.class))
                        .as(cell)
                        .singleElement()
                        .satisfies(end -> hasText(cell, end.failure())));
    }

    @Test
    void a_run_fails_by_what_its_handler_throws() {
        Map<String, WorkflowHandle<Ends, String>> runs = started("signal");
        runs.forEach((cell, run) -> run.signal(w -> w.tell(cell)));
        runs.forEach((cell, run) -> assertThat(failed(run).events(WorkflowFailed.class))
                .as(cell)
                .singleElement()
                .satisfies(end -> hasText(cell, end.failure())));
    }

    @Test
    void a_compensation_that_fails_is_told_with_the_failure_of_the_run() {
        started("undo")
                .forEach((cell, run) -> assertThat(failed(run).events(WorkflowFailed.class))
                        .as(cell)
                        .singleElement()
                        .satisfies(end -> {
                            assertThat(end.failure().message()).isEqualTo("to be undone");
                            hasText(cell, end.failure().suppressed().getFirst());
                        }));
    }

    @Test
    void a_query_fails_and_its_run_goes_on() {
        String id = "query all";
        WorkflowHandle<Ends, String> run = engine.client().start(Ends.class, StartOptions.id(id), w -> w.run(id));
        for (String odd : ODD.keySet()) {
            assertThat(catchThrowable(() -> run.query(w -> w.ask("query " + odd))))
                    .as(odd)
                    .isInstanceOf(QueryFailedException.class);
        }
        run.cancel();
    }

    /** With the text that stands for the one that the sanitizer has not given, never with the one that it was given. */
    @Test
    void what_the_sanitizer_does_is_no_matter_of_the_end() {
        Map<String, ErrorSanitizer> sanitizers = Map.of(
                "gives null", text -> null,
                "throws",
                        text -> {
                            throw new IllegalStateException(text);
                        },
                "lacks a class",
                        text -> {
                            throw new NoClassDefFoundError(text);
                        });
        engine.close();
        engines.clear();
        sanitizers.forEach((what, sanitizer) -> {
            ODD.put(what, () -> new IllegalStateException("token=abc123"));
            DurableEngine odd = engine(sanitizer);
            List<String> kinds =
                    new ArrayList<>(List.of("plainly", "locally", "once", "thrice", "run", "undo", "promise"));
            if (hasTransactions()) {
                kinds.add("inTransaction");
            }
            for (String kind : kinds) {
                started(odd, kind, List.of(what)).forEach((cell, run) -> {
                    History history = failed(run);
                    assertThat(history.toString()).doesNotContain("abc123");
                    assertThat(history.events(WorkflowFailed.class)
                                    .findFirst()
                                    .orElseThrow()
                                    .failure()
                                    .message())
                            .as(cell)
                            .contains("the error sanitizer");
                });
            }
            odd.close();
            ODD.remove(what);
        });
        engines.clear();
        engine = engine(ErrorSanitizer.DEFAULT);
    }
}
