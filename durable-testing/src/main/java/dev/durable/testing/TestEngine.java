package dev.durable.testing;

import dev.durable.OnExhausted;
import dev.durable.StoreUnavailableException;
import dev.durable.client.Alert;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.DurableEngine.PoolOptions;
import dev.durable.client.DurableEngine.QueueOptions;
import dev.durable.client.WorkflowQuery;
import dev.durable.intercept.ContextPropagator;
import dev.durable.intercept.Interceptor;
import dev.durable.internal.declare.Registry;
import dev.durable.internal.engine.EngineBuilder;
import dev.durable.store.HistoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * An engine for one test, on time that the test moves. Closing it replays every history that was made. Register first;
 * the engine starts with the first use of {@link #client()}.
 */
public final class TestEngine implements AutoCloseable {
    private static final int TURNS_CUT = 60;

    private final TestTime time;
    private final PumpDrive drive;
    private final EngineBuilder builder;
    private boolean replayChecked = true;
    private @Nullable DurableEngine engine;
    private @Nullable Registry known;

    private TestEngine(TestTime time, PumpDrive drive) {
        this.time = time;
        this.drive = drive;
        this.builder = new EngineBuilder(time.store())
                .drive(drive)
                .strict()
                .identity("test")
                .drainTimeout(Duration.ofSeconds(1));
    }

    /** An engine in memory. */
    public static TestEngine create() {
        return create(Store.MEMORY);
    }

    /** An engine on this kind of store. */
    public static TestEngine create(Store store) {
        return create(store, PumpDrive.PATIENCE_WITH_BODIES);
    }

    /** @param patience with bodies that do not end, in real time */
    static TestEngine create(Store store, Duration patience) {
        return on(
                switch (store) {
                    case MEMORY -> new MemoryTime();
                    case POSTGRES -> postgres();
                },
                patience);
    }

    /** An engine on this time. */
    static TestEngine on(TestTime time, Duration patience) {
        return new TestEngine(time, new PumpDrive(time, patience));
    }

    private static TestTime postgres() {
        try {
            return PostgresTime.fresh();
        } catch (NoClassDefFoundError missing) {
            throw new StoreUnavailableException(
                    "Store.POSTGRES needs dev.durable:durable-history-store and dev.durable:durable-embedded-postgres on the test class path (%s is missing). Add them with scope test, or use Store.MEMORY."
                            .formatted(String.valueOf(missing.getMessage()).replace('/', '.')),
                    missing);
        }
    }

    /** Workflow classes and activity instances. */
    public TestEngine register(Object... classesAndInstances) {
        notStarted();
        builder.register(classesAndInstances);
        return this;
    }

    /** An implementation of the named activity type; a mock is fine. */
    public <A> TestEngine activity(Class<A> type, A implementation) {
        notStarted();
        builder.activity(type, implementation);
        return this;
    }

    /**
     * Has this object run instead of new ones of the workflow class, which need not be registered: a child that is mocked,
     * or a lambda for it. All runs of the type have the one object, and it is called again when a history is replayed, so
     * it keeps no state; it may sleep and call activities as any workflow code may.
     */
    public <W> TestEngine child(Class<W> type, W implementation) {
        notStarted();
        builder.standIn(type, implementation);
        return this;
    }

    /** Serves a task queue; {@code "default"} is served when none is named. */
    public TestEngine queue(String name, Consumer<QueueOptions> options) {
        notStarted();
        builder.queue(name, options);
        return this;
    }

    /** Serves several task queues with one pool of slots. */
    public TestEngine pool(String name, Consumer<PoolOptions> options) {
        notStarted();
        builder.pool(name, options);
        return this;
    }

    /** Overrides from configuration. */
    public TestEngine configuration(Map<String, String> properties) {
        notStarted();
        builder.configuration(properties);
        return this;
    }

    /** Changes how values are written as JSON, as the application's engine does; the replay of histories reads alike. */
    public TestEngine jsonMapper(Consumer<? super JsonMapper.Builder> customizer) {
        notStarted();
        builder.jsonMapper(customizer);
        return this;
    }

    /**
     * Called when activities became dead letters or incidents, at the time at which the application would be alerted.
     */
    public TestEngine onAlert(Consumer<? super Alert> listener) {
        notStarted();
        builder.onAlert(listener);
        return this;
    }

    /** Sets the end of background jobs whose attempts are used up, where their activities do not say. */
    public TestEngine jobsOnExhausted(OnExhausted then) {
        notStarted();
        builder.jobsOnExhausted(then);
        return this;
    }

    /** For how long and how many dead letters are kept. */
    public TestEngine keepDeadLetters(Duration time, int most) {
        notStarted();
        builder.keepDeadLetters(time, most);
        return this;
    }

    /** How long the body of a cancelled background job may go on, in the test's time; default 30 s. */
    public TestEngine cancelGrace(Duration grace) {
        notStarted();
        builder.cancelGrace(grace);
        return this;
    }

    /** A job with more or fewer arguments than its activity has parameters here can't be read. */
    public TestEngine exactArguments() {
        notStarted();
        builder.exactArguments();
        return this;
    }

    /** An exception that stalls runs instead of failing them; may be called for several. */
    public TestEngine stallOn(Class<? extends Throwable> type) {
        notStarted();
        builder.stallOn(type);
        return this;
    }

    /** Wraps calls of the client and work of the worker, as in the application's engine. */
    public TestEngine intercept(Interceptor... interceptors) {
        notStarted();
        builder.intercept(interceptors);
        return this;
    }

    /** Carries context of callers to the code that runs for them; the replay of histories has it, too. */
    public TestEngine propagate(ContextPropagator... propagators) {
        notStarted();
        builder.propagate(propagators);
        return this;
    }

    /** Histories of this test are not replayed when it ends: for tests of code that is meant to be non-deterministic. */
    public TestEngine withoutReplayCheck() {
        replayChecked = false;
        return this;
    }

    /**
     * Anything else that an engine's builder takes, as an application's own configuration of it. The store, the drive and
     * the time stay the test's.
     */
    public TestEngine configure(Consumer<? super DurableEngine.Builder> configuration) {
        notStarted();
        configuration.accept(builder);
        return this;
    }

    private void notStarted() {
        if (engine != null) {
            throw new IllegalStateException(
                    "the engine has started, with the first use of client(), advance or settle, and"
                            + " takes nothing in any more. Register and configure before that.");
        }
    }

    /** The client; starts the engine. */
    public DurableClient client() {
        DurableEngine started = engine;
        if (started == null) {
            started = builder.start();
            engine = started;
            known = builder.registered();
            drive.outlook(new Outlook(started, known, replayer(known)));
        }
        return started.client();
    }

    /** The engine that does the work; starts it. Closed together with this. */
    public DurableEngine engine() {
        client();
        return Objects.requireNonNull(engine);
    }

    /** The store, for a look at what is in it. */
    public HistoryStore store() {
        return time.store();
    }

    /** The engine's time. */
    public Instant now() {
        return time.now();
    }

    /**
     * Moves time on, stopping at everything that is due on the way; returns when all of it has been worked off. Activity
     * bodies that run are waited for, unless they do nothing in real time: one that has waited for other threads for half a
     * second, or slept for two seconds, is left to wait, and time passes it by.
     *
     * @throws WorkflowStalledException when a run can't go on with this code
     */
    public void advance(Duration by) {
        client();
        drive.advance(by);
    }

    /** Moves time on while activity bodies run that will not end by themselves: how their timeouts are tested. */
    public void advanceWhileRunning(Duration by) {
        client();
        drive.jump(by);
    }

    /**
     * Returns when nothing is left to do at the present time, and no activity body runs.
     *
     * @throws WorkflowStalledException when a run can't go on with this code
     * @throws IllegalStateException when activity bodies run and none of them has begun or ended for ten seconds
     */
    public void settle() {
        client();
        drive.awaitIdle();
    }

    /**
     * Replays every history and stops.
     *
     * @throws WorkflowStalledException when a run has stalled and no wait has reported it
     * @throws IllegalStateException when activity bodies still run and none of them has begun or ended for ten seconds
     */
    @Override
    public void close() {
        try (TestTime last = time;
                DurableEngine started = engine) {
            if (started != null) {
                drive.awaitEnd();
                if (replayChecked && known != null) {
                    drive.refuseStalled();
                    replayEverything(started.client(), known);
                }
            }
        }
    }

    private Replayer replayer(Registry types) {
        return new Replayer(types, builder.jsonMapper(), builder.interception(), true);
    }

    private void replayEverything(DurableClient client, Registry types) {
        Replayer replayer = replayer(types);
        List<WorkflowQuery.Row> rows;
        try (var stream = client.workflows().oldestFirst().stream()) {
            rows = stream.toList();
        }
        rows.stream()
                // A run that stalled has been reported, and would stall again. A type that is not registered here has
                // not run here.
                .filter(row -> types.workflow(row.summary().type()).isPresent())
                .filter(row -> !drive.hasStalled(row.summary().runId()))
                .forEach(row -> replayer.check(client.history(row.summary().runId()), TURNS_CUT));
    }
}
