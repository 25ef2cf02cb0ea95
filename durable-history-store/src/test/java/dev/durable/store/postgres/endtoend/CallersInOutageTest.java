package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Call;
import dev.durable.CallInterruptedException;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.StoreUnavailableException;
import dev.durable.Trials;
import dev.durable.TypeRef;
import dev.durable.Update;
import dev.durable.UpdateCall;
import dev.durable.UpdateVoidCall;
import dev.durable.VoidCall;
import dev.durable.Workflow;
import dev.durable.client.ActivityControl;
import dev.durable.client.ActivityHandle;
import dev.durable.client.ActivityQuery;
import dev.durable.client.AuditQuery;
import dev.durable.client.BatchCall;
import dev.durable.client.BatchHandle;
import dev.durable.client.Builds;
import dev.durable.client.CallbackHandle;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.ExternalActivity;
import dev.durable.client.ForkOptions;
import dev.durable.client.Incident;
import dev.durable.client.IncidentControl;
import dev.durable.client.IncidentQuery;
import dev.durable.client.Operation;
import dev.durable.client.Operations;
import dev.durable.client.Queues;
import dev.durable.client.StartOptions;
import dev.durable.client.StreamHandle;
import dev.durable.client.StreamReader;
import dev.durable.client.UpdateHandle;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowQuery;
import dev.durable.client.WorkflowTree;
import dev.durable.client.WorkflowVerbs;
import dev.durable.store.CallbackToken;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Tests the threads of callers while the database is down, behind a pool that lets each wait for half a minute: every
 * method of a client returns or throws when the time of a call is over.
 */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class CallersInOutageTest {
    private static final Duration AWAY = Duration.ofSeconds(Integer.getInteger("outage.seconds", 4));
    private static final Duration CALL = Duration.ofSeconds(3);
    private static final Duration SLACK = Duration.ofSeconds(1);

    /** All interfaces by which a client is used. */
    private static final List<Class<?>> INTERFACES = List.of(
            DurableClient.class,
            WorkflowHandle.class,
            UpdateHandle.class,
            StreamHandle.class,
            StreamReader.class,
            WorkflowTree.class,
            CallbackHandle.class,
            ActivityHandle.class,
            BatchHandle.class,
            WorkflowQuery.class,
            WorkflowVerbs.class,
            Operations.class,
            Operation.class,
            ActivityQuery.class,
            ActivityControl.class,
            IncidentQuery.class,
            IncidentControl.class,
            Queues.class,
            Builds.class,
            AuditQuery.class,
            ExternalActivity.class);

    @TempDir
    private Path directory;

    private final AtomicInteger ids = new AtomicInteger();

    /** An activity that is left to the holder of a token. */
    @Activity
    public interface Desk {
        /** Returns nothing, as no one holds its token. */
        String decide();
    }

    /** Waits for the desk. */
    @Workflow
    public static class Case {
        private final Desk desk;

        Case(Desk desk) {
            this.desk = desk;
        }

        /** The decision. */
        @Run
        public String run() {
            return desk.decide();
        }

        /** Changes nothing. */
        @Signal
        public void remind() {}

        /** Changes nothing. */
        @Update
        public String look() {
            return "seen";
        }

        /** Where it is. */
        @Query
        public String where() {
            return "at the desk";
        }
    }

    /** The result and the time of a call. */
    private record Took(String call, Duration time, String outcome) {}

    @Test
    void no_call_of_a_client_takes_longer_than_the_time_of_a_call_while_the_database_is_away() throws Exception {
        Trials.once(this::noCallTakesLonger);
    }

    private void noCallTakesLonger(int number) throws Exception {
        Path data = directory.resolve("server-" + number);
        EmbeddedPostgres server = EmbeddedPostgres.at(data);
        AtomicReference<String> token = new AtomicReference<>();
        Desk desk = () -> {
            token.set(ActivityContext.current().completeLater());
            return "later";
        };
        try (HikariDataSource workersPool = pool(server);
                HikariDataSource clientsPool = pool(server);
                DurableEngine worker =
                        engine(workersPool).register(Case.class, desk).start();
                DurableEngine only = engine(clientsPool)
                        .register(Case.class)
                        .activity(Desk.class, desk)
                        .clientOnly()
                        .start();
                Connection joined = server.dataSource().getConnection()) {
            open(workersPool, desk, token);
            joined.setAutoCommit(false);
            List<Map<Class<?>, Object>> clients = List.of(
                    patiently(() -> subjects(worker.client(), token.get())),
                    patiently(() -> subjects(only.client(), token.get())),
                    Map.of(DurableClient.class, only.client().joining(joined)));

            server.close();
            Queue<Took> all = callAll(clients);
            server = EmbeddedPostgres.at(data);
            Bench.awaitThat(() -> answers(only.client()) && answers(worker.client()));

            assertThat(all.stream().map(Took::call).distinct().count()).isGreaterThan(200);
            assertThat(all.stream().filter(took -> took.outcome().contains("StoreUnavailableException")))
                    .as("calls that asked")
                    .hasSizeGreaterThan(200);
            assertThat(all.stream().filter(took -> took.time().compareTo(CALL.plus(SLACK)) > 0))
                    .as("calls that took longer than " + CALL + " and a little")
                    .isEmpty();
        } finally {
            server.close();
        }
    }

    @Test
    void an_engine_closes_soon_while_the_database_is_away() throws Exception {
        EmbeddedPostgres server = EmbeddedPostgres.at(directory.resolve("server-of-a-close"));
        try (HikariDataSource pool = pool(server)) {
            DurableEngine worker = engine(pool)
                    .register(Case.class)
                    .activity(Desk.class, (Desk) () -> "never")
                    .drainTimeout(Duration.ofSeconds(1))
                    .start();
            server.close();
            Bench.awaitThat(() -> !worker.problems().isEmpty());

            long began = System.nanoTime();
            worker.close();
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .as("a second for activities, five for loops, five for the session, and the machine's own")
                    .isLessThan(Duration.ofSeconds(25));
        } finally {
            server.close();
        }
    }

    /** One thread for each method of each of them, again and again until the outage has lasted. */
    private Queue<Took> callAll(List<Map<Class<?>, Object>> clients) throws InterruptedException {
        Queue<Took> all = new ConcurrentLinkedQueue<>();
        long end = System.nanoTime() + AWAY.toNanos();
        CountDownLatch begin = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            int client = i;
            clients.get(i).forEach((type, subject) -> {
                for (Method method : type.getMethods()) {
                    if (!Modifier.isStatic(method.getModifiers())) {
                        threads.add(Thread.ofPlatform().start(() -> {
                            await(begin);
                            do {
                                all.add(call(client + " " + method, subject, method));
                            } while (System.nanoTime() < end);
                        }));
                    }
                }
            });
        }
        assertThat(threads).hasSizeGreaterThan(200);
        begin.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        return all;
    }

    private Took call(String name, Object subject, Method method) {
        Object[] arguments = Stream.of(method.getParameterTypes())
                .map(type -> argument(method, type))
                .toArray();
        long began = System.nanoTime();
        String outcome;
        try {
            Object answer = method.invoke(subject, arguments);
            outcome = answer instanceof Stream<?> stream ? "rows: " + stream.count() : "answered";
        } catch (InvocationTargetException e) {
            outcome = String.valueOf(e.getCause());
        } catch (IllegalAccessException | RuntimeException e) {
            outcome = String.valueOf(e);
        }
        return new Took(name, Duration.ofNanos(System.nanoTime() - began), outcome);
    }

    /** An argument of each type that a method of the interfaces has; a type that is missing here fails the test. */
    private Object argument(Method method, Class<?> type) {
        boolean ofJob = method.getDeclaringClass() == BatchHandle.class
                || method.getName().startsWith("enqueue")
                || method.getName().equals("job");
        Map<Class<?>, Object> values = new LinkedHashMap<>();
        values.put(
                Class.class,
                ofJob ? Desk.class : method.getDeclaringClass() == DurableClient.class ? Case.class : String.class);
        values.put(String.class, method.getName().equals("job") ? "job-1" : ofJob ? "batch-1" : "case-1");
        values.put(StartOptions.class, StartOptions.id("new-" + ids.incrementAndGet()));
        values.put(ForkOptions.class, ForkOptions.defaults());
        values.put(
                Call.class,
                method.getDeclaringClass() == WorkflowHandle.class
                        ? (Call<Case, String>) Case::where
                        : (Call<Case, String>) Case::run);
        values.put(
                VoidCall.class,
                ofJob
                        ? (VoidCall<Desk>) Desk::decide
                        : method.getName().startsWith("startVoid")
                                ? (VoidCall<Case>) Case::run
                                : (VoidCall<Case>) Case::remind);
        values.put(UpdateCall.class, (UpdateCall<Case, String, RuntimeException>) Case::look);
        values.put(UpdateVoidCall.class, (UpdateVoidCall<Case, RuntimeException>) Case::look);
        values.put(WaitFor.class, WaitFor.COMPLETED);
        values.put(BatchCall.class, (BatchCall<Desk, Integer>) (desk, item) -> desk.decide());
        values.put(Iterable.class, List.of(1, 2));
        values.put(List.class, List.of());
        values.put(TypeRef.class, new TypeRef<String>() {});
        values.put(Duration.class, Duration.ofMinutes(10));
        values.put(Instant.class, Instant.now().plusSeconds(3600));
        values.put(UUID.class, UUID.randomUUID());
        values.put(Path.class, directory.resolve("export-" + ids.incrementAndGet()));
        values.put(Object.class, "value");
        values.put(Object[].class, new Object[0]);
        values.put(Throwable.class, new IllegalStateException("as the test wants it"));
        values.put(UnaryOperator.class, UnaryOperator.identity());
        values.put(Consumer.class, (Consumer<Object>) options -> {});
        values.put(int.class, 1);
        values.put(long.class, 10L);
        if (type == Incident.class) {
            return null;
        }
        assertThat(values).as("an argument for " + method).containsKey(type);
        return values.get(type);
    }

    /** Opens the case by an engine with more patience. */
    private static void open(HikariDataSource pool, Desk desk, AtomicReference<String> token) {
        try (DurableEngine engine =
                Bench.engineOn(pool).register(Case.class, desk).start()) {
            DurableClient client = engine.client();
            client.start(Case.class, "case-1", Case::run);
            client.enqueue(Desk.class, StartOptions.id("job-1"), Desk::decide);
            client.enqueueAll(Desk.class, StartOptions.id("batch-1"), List.of(1), (each, item) -> each.decide());
            Bench.awaitThat(() -> token.get() != null);
        }
    }

    /** Calls until it succeeds: the database is there, and may be slow. */
    private static <T> T patiently(Supplier<T> asking) {
        AtomicReference<T> answer = new AtomicReference<>();
        Bench.awaitThat(() -> {
            try {
                answer.set(asking.get());
                return true;
            } catch (StoreUnavailableException e) {
                return false;
            }
        });
        return answer.get();
    }

    private static Map<Class<?>, Object> subjects(DurableClient client, String token) {
        Map<Class<?>, Object> subjects = new LinkedHashMap<>();
        subjects.put(DurableClient.class, client);
        subjects.put(WorkflowHandle.class, client.handle(Case.class, "case-1"));
        subjects.put(UpdateHandle.class, client.handle(Case.class, "case-1").updateHandle("update-1", String.class));
        StreamHandle<String> stream = client.handle(Case.class, "case-1").stream("words", String.class);
        subjects.put(StreamHandle.class, stream);
        subjects.put(StreamReader.class, stream.from(0));
        subjects.put(WorkflowTree.class, client.handle(Case.class, "case-1").tree());
        CallbackToken callback = new CallbackToken(new RunKey(UUID.randomUUID(), "case-1"), UUID.randomUUID());
        subjects.put(CallbackHandle.class, client.callback(callback.text()));
        subjects.put(ActivityHandle.class, client.job("job-1"));
        subjects.put(BatchHandle.class, client.batch("batch-1"));
        subjects.put(WorkflowQuery.class, client.workflows());
        WorkflowVerbs verbs =
                client.workflows().where(w -> w.workflowId("none")).by("ann");
        subjects.put(WorkflowVerbs.class, verbs);
        subjects.put(Operations.class, client.operations());
        subjects.put(Operation.class, verbs.pause());
        subjects.put(ActivityQuery.class, client.activities());
        subjects.put(ActivityControl.class, client.activity("case-1", 1));
        subjects.put(IncidentQuery.class, client.incidents());
        subjects.put(IncidentControl.class, client.incidents().one("case-1", 1));
        subjects.put(Queues.class, client.queues());
        subjects.put(Builds.class, client.builds());
        subjects.put(AuditQuery.class, client.audit());
        subjects.put(ExternalActivity.class, client.activity(token));
        assertThat(subjects.keySet()).containsExactlyElementsOf(INTERFACES);
        return subjects;
    }

    @Test
    void what_a_client_gives_to_work_with_is_among_what_is_tried() {
        List<Class<?>> given = INTERFACES.stream()
                .flatMap(type -> Stream.of(type.getMethods()))
                .<Class<?>>map(Method::getReturnType)
                .filter(type -> type.isInterface() && type.getPackageName().equals("dev.durable.client"))
                .distinct()
                .toList();
        assertThat(INTERFACES).containsAll(given);
    }

    @Test
    void a_caller_that_is_interrupted_hears_of_that_and_of_no_database() throws Exception {
        EmbeddedPostgres server = EmbeddedPostgres.at(directory.resolve("interrupted"));
        try (HikariDataSource pool = pool(server);
                DurableEngine engine = DurableEngine.builder(store(pool))
                        .register(Case.class)
                        .clientOnly()
                        .start()) {
            WorkflowHandle<Case, String> run = engine.client().start(Case.class, "case-1", Case::run);
            interrupted(run::result);
            server.close();
            interrupted(run::describe);
            interrupted(() -> engine.client().start(Case.class, "case-2", Case::run));
            interrupted(() -> run.signal(Case::remind));
            interrupted(() -> engine.client().workflows().count());
        } finally {
            server.close();
        }
    }

    private static void interrupted(Runnable call) throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        AtomicReference<Boolean> flag = new AtomicReference<>();
        Thread caller = Thread.ofPlatform().start(() -> {
            try {
                call.run();
            } catch (RuntimeException e) {
                thrown.set(e);
                flag.set(Thread.currentThread().isInterrupted());
            }
        });
        Bench.awaitThat(
                () -> caller.getState() == Thread.State.WAITING || caller.getState() == Thread.State.TIMED_WAITING);
        caller.interrupt();
        caller.join();
        assertThatThrownBy(() -> {
                    throw thrown.get();
                })
                .isInstanceOf(CallInterruptedException.class)
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageStartingWith(
                        "the calling thread was interrupted while it waited; what was sent may still happen.")
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(flag).hasValue(true);
    }

    @Test
    void a_client_only_process_says_that_it_cannot_serve_and_comes_back_by_itself() {
        Path data = directory.resolve("served");
        EmbeddedPostgres server = EmbeddedPostgres.at(data);
        try (HikariDataSource pool = pool(server);
                DurableEngine engine =
                        engine(pool).register(Case.class).clientOnly().start()) {
            server.close();
            long away = System.nanoTime();
            Bench.awaitThat(() -> !engine.healthy());
            assertThat(Duration.ofNanos(System.nanoTime() - away))
                    .as("a short outage is none to act upon")
                    .isGreaterThan(Duration.ofSeconds(10));
            assertThat(engine.problems())
                    .anySatisfy(
                            problem -> assertThat(problem).matches("the database could not be used for \\d+ s: .*"));
            assertThat(engine.statistics().failing())
                    .as("the outage is one problem")
                    .isZero();

            server = EmbeddedPostgres.at(data);
            Bench.awaitThat(() -> engine.healthy() && engine.problems().isEmpty());
        } finally {
            server.close();
        }
    }

    private static boolean answers(DurableClient client) {
        try {
            return client.workflows().count() > 0;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private static DurableEngine.Builder engine(HikariDataSource pool) {
        return Bench.engineOn(pool).callTimeout(CALL).drainTimeout(Duration.ofMillis(10));
    }

    private static HistoryStore store(HikariDataSource pool) {
        return PostgresHistoryStore.of(pool);
    }

    /** A pool as applications have it: a thread waits up to 30 seconds for a connection. */
    private static HikariDataSource pool(EmbeddedPostgres server) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(server.dataSource());
        config.setMaximumPoolSize(10);
        return new HikariDataSource(config);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
