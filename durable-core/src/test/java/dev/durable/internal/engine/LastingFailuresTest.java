package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.ThreadDrive;
import dev.durable.internal.upkeep.UpkeepChore;
import dev.durable.observe.EngineObserver;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobClaim;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.memory.VirtualClock;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The actions that a process tries again and again, and the problems that it reports where each try fails. Real
 * threads, the time of a test.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class LastingFailuresTest {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);
    /**
     * The chores that make no call while no local activity runs, and are tried again after a minute where they fail.
     */
    private static final Set<UpkeepChore> SELDOM = Set.of(UpkeepChore.ENDED_RUNS, UpkeepChore.PARTITIONS);

    private final VirtualClock clock = new VirtualClock();

    /** An activity for the workers. */
    @Activity
    interface Post {
        void send();
    }

    @Test
    void each_loop_that_a_process_has_stands_in_the_table_of_the_page_about_workers() throws IOException {
        Set<String> names = new ConcurrentSkipListSet<>();
        ThreadDrive threads = new ThreadDrive(UnaryOperator.identity());
        Drive noting = proxy(
                Drive.class,
                (method, arguments) -> {
                    if (method.getName().equals("add")) {
                        names.add(kind((String) arguments[0]));
                    }
                    return false;
                },
                threads);
        try (DurableEngine engine = whole(new EngineBuilder(InMemoryHistoryStore.on(clock)).drive(noting))
                .start()) {
            assertThat(engine.worker().session()).isNotNull();
        }

        String page = Files.readString(Path.of("../docs/workers.md"));
        String table = page.substring(page.indexOf("| loop | does |"));
        Set<String> documented = new TreeSet<>();
        table.substring(0, table.indexOf("\n\n"))
                .lines()
                .forEach(row -> Pattern.compile("`([a-z-]+)`")
                        .matcher(row.substring(1, row.indexOf('|', 1)))
                        .results()
                        .forEach(name -> documented.add(name.group(1))));
        Stream.of(UpkeepChore.values()).forEach(chore -> documented.add(chore.shown()));
        assertThat(names).as("the table of loops in docs/workers.md").containsExactlyInAnyOrderElementsOf(documented);
    }

    /** Several of a kind have one row. */
    private static String kind(String loop) {
        return loop.replaceFirst("-slow$", "").replaceFirst("-[0-9]+$", "").replaceFirst("^jobs-.+", "jobs");
    }

    @Test
    void what_has_failed_at_every_try_for_a_minute_is_a_problem_whichever_loop_or_chore_it_is() {
        Set<String> atTheStart = Set.of("open", "inspect", "openSession", "queueRules");
        HistoryStore memory = InMemoryHistoryStore.on(clock);
        CountDownLatch started = new CountDownLatch(1);
        HistoryStore failing = proxy(
                HistoryStore.class,
                (method, arguments) -> !Set.of(
                                        "clock",
                                        "nudges",
                                        "trouble",
                                        "troubledFor",
                                        "joined",
                                        "views",
                                        "patient",
                                        "transactional",
                                        "close",
                                        "closeSession")
                                .contains(method.getName())
                        && !(atTheStart.contains(method.getName()) && started.getCount() > 0),
                memory);
        List<String> expected = new ArrayList<>(List.of(
                "loop \"claims\"",
                "loop \"jobs-default\"",
                "the claims of jobs of queue default",
                "loop \"rules\"",
                "loop \"installation\""));
        Stream.of(UpkeepChore.values())
                .filter(chore -> !SELDOM.contains(chore))
                .forEach(chore -> expected.add("loop \"" + chore.shown() + "\""));

        try (DurableEngine engine = whole(new EngineBuilder(failing)).start()) {
            started.countDown();
            assertThat(engine.statistics().failing())
                    .as("until a minute has passed")
                    .isZero();

            await(
                    () -> {
                        clock.advance(Duration.ofSeconds(2));
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                        List<String> problems = engine.problems();
                        return expected.stream()
                                .allMatch(what -> problems.stream()
                                        .anyMatch(text -> text.startsWith(what + " has failed at every try for ")));
                    },
                    () -> expected + "\n" + engine.problems());

            assertThat(engine.healthy()).isFalse();
            assertThat(engine.statistics().failing()).isGreaterThanOrEqualTo(expected.size());
            assertThat(engine.problems())
                    .anySatisfy(
                            text -> assertThat(text)
                                    .matches(
                                            "loop \"claims\" has failed at every try for \\d+ s, \\d+ times, lately: .*planted.*\\. Until a try"
                                                    + " succeeds its work is not done; nothing is lost\\. The log has the stack\\."));
        }
    }

    @Test
    void a_claim_that_fails_for_one_queue_of_a_pool_is_a_problem_and_keeps_no_other_queue() throws Exception {
        HistoryStore memory = InMemoryHistoryStore.on(clock);
        HistoryStore failing = proxy(
                HistoryStore.class,
                (method, arguments) -> method.getName().equals("claimJobs")
                        && ((JobClaim) arguments[0]).taskQueue().equals("mail"),
                memory);
        CountDownLatch sent = new CountDownLatch(1);
        try (DurableEngine client = DurableEngine.builder(memory)
                        .activity(Post.class, () -> {})
                        .clientOnly()
                        .start();
                DurableEngine engine = new EngineBuilder(failing)
                        .activity(Post.class, sent::countDown)
                        .pool("io", pool -> pool.slots(4).queue("mail", 1).queue("parcels", 1))
                        .pollInterval(Duration.ofMillis(10))
                        .start()) {
            client.client().enqueue(Post.class, StartOptions.id("m-1").taskQueue("mail"), Post::send);
            client.client().enqueue(Post.class, StartOptions.id("p-1").taskQueue("parcels"), Post::send);

            assertThat(sent.await(60, TimeUnit.SECONDS))
                    .as("the other queue is served")
                    .isTrue();
            await(
                    () -> {
                        clock.advance(Duration.ofSeconds(2));
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                        return engine.problems().stream()
                                .anyMatch(text -> text.startsWith("the claims of jobs of queue mail has failed"));
                    },
                    () -> String.valueOf(engine.problems()));
            assertThat(engine.problems()).noneMatch(text -> text.contains("queue parcels"));
        }
    }

    private static EngineBuilder whole(EngineBuilder builder) {
        return builder.activity(Post.class, () -> {})
                .onAlert(alert -> {})
                .pollInterval(Duration.ofMillis(10))
                .sessionLease(Duration.ofSeconds(3))
                .observe(new EngineObserver() {
                    @Override
                    public boolean wantsQueueSamples() {
                        return true;
                    }
                });
    }

    /** The object behind, where these calls fail; not {@code schema}, which gives a name and asks no database. */
    private static <T> T proxy(Class<T> type, BiPredicate<Method, Object[]> fails, T behind) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    if (!method.getName().equals("schema") && fails.test(method, arguments)) {
                        throw new IllegalStateException(method.getName() + ": planted");
                    }
                    try {
                        return method.invoke(behind, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private static void await(BooleanSupplier condition, Supplier<String> otherwise) {
        long begun = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - begun).as(otherwise.get()).isLessThan(PATIENCE);
        }
    }
}
