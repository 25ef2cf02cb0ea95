package dev.durable.internal.engine;

import dev.durable.OnExhausted;
import dev.durable.RetryIf;
import dev.durable.Versioning;
import dev.durable.WaitBounds;
import dev.durable.client.Alert;
import dev.durable.client.DurableEngine;
import dev.durable.client.EngineNames;
import dev.durable.client.ErrorSanitizer;
import dev.durable.intercept.ContextPropagator;
import dev.durable.intercept.InterceptedEngine;
import dev.durable.intercept.Interceptor;
import dev.durable.internal.declare.Registry;
import dev.durable.internal.dispatch.QueueSettings;
import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.Jitter;
import dev.durable.internal.drive.RandomIds;
import dev.durable.internal.drive.ThreadDrive;
import dev.durable.internal.engine.EngineSettings.Errors;
import dev.durable.internal.engine.EngineSettings.Limits;
import dev.durable.internal.intercept.Interception;
import dev.durable.internal.observe.FailureLog;
import dev.durable.internal.observe.Observers;
import dev.durable.internal.observe.Telemetry;
import dev.durable.internal.observe.Tries;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.run.HistoryLimit;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.upkeep.InstallationWatch;
import dev.durable.internal.upkeep.WorkerSession;
import dev.durable.observe.EngineObserver;
import dev.durable.store.Adoption;
import dev.durable.store.HistoryStore;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Implements {@link DurableEngine.Builder}: collects registrations and options, checks them, and builds an engine. */
public final class EngineBuilder implements DurableEngine.Builder {
    private static final Duration SHORTEST_POLL = Duration.ofMillis(10);

    private final HistoryStore store;
    private final Registry.Builder registry = Registry.builder();
    private final Map<String, QueueSettings> queues = new LinkedHashMap<>();
    private final List<EngineObserver> observers = new ArrayList<>();
    private String identity = hostAndPid();
    private @Nullable String build;
    private @Nullable String installation;
    private Duration drain = Limits.DEFAULT.drain();
    private Duration sessionLease = Limits.DEFAULT.sessionLease();
    private Duration pollInterval = Limits.DEFAULT.pollInterval();
    private Duration call = Limits.DEFAULT.call();
    private int maxPayloadBytes = Limits.DEFAULT.maxPayloadBytes();
    private HistoryLimit history = Limits.DEFAULT.history();
    private @Nullable Long cacheBytes;
    private Duration cancelGrace = Limits.DEFAULT.cancelGrace();
    private @Nullable Integer transactional;
    private Consumer<? super JsonMapper.Builder> mapper = json -> {};
    private Errors errors = Errors.DEFAULT;
    private boolean exactArguments;
    private Interception interception = Interception.NONE;
    private boolean worker = true;
    private boolean strict;
    private @Nullable Drive drive;
    private Consumer<EngineContents> onRegistered = contents -> {};
    private Supplier<UUID> random = new RandomIds();

    public EngineBuilder(HistoryStore store) {
        this.store = store;
        registry.register(BackgroundJob.class);
    }

    @Override
    public EngineBuilder register(Object... classesAndInstances) {
        registry.register(classesAndInstances);
        return this;
    }

    @Override
    public <A> EngineBuilder activity(Class<A> type, A implementation) {
        registry.activity(type, implementation);
        return this;
    }

    /** Adds an object that runs in the place of all runs of a workflow type. For tests. */
    public <W> EngineBuilder standIn(Class<W> type, W instance) {
        registry.standIn(type, instance);
        return this;
    }

    /**
     * Adds an implementation for these of the activity types that it implements. For containers, which choose among
     * several.
     */
    public EngineBuilder activities(Set<Class<?>> types, Object implementation) {
        registry.activities(types, implementation);
        return this;
    }

    /**
     * Adds a listener that gets the registrations after they were checked and before the store is opened; its exception
     * ends the start. Listeners are called in the order in which they were added.
     */
    public EngineBuilder onRegistered(Consumer<EngineContents> listener) {
        onRegistered = onRegistered.andThen(listener);
        return this;
    }

    /** Returns whether a queue to serve was named. */
    public boolean hasQueues() {
        return !queues.isEmpty();
    }

    @Override
    public EngineBuilder queue(String name, Consumer<DurableEngine.QueueOptions> options) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("a task queue needs a name, such as \"default\"");
        }
        Bounds.name("builder.queue(…): the task queue", name);
        QueueSettings before = queues.getOrDefault(name, QueueSettings.DEFAULT);
        if (before.pool() != null) {
            throw PoolOptionsBuilder.twice(name, before.pool());
        }
        QueueOptionsBuilder queue = new QueueOptionsBuilder(name, before);
        options.accept(queue);
        queues.put(name, queue.settings());
        return this;
    }

    @Override
    public EngineBuilder pool(String name, Consumer<DurableEngine.PoolOptions> options) {
        PoolOptionsBuilder pool = new PoolOptionsBuilder(Bounds.name("builder.pool(…): the pool", name));
        options.accept(pool);
        pool.queues().forEach((queue, settings) -> {
            if (queues.putIfAbsent(queue, settings) != null) {
                throw PoolOptionsBuilder.twice(queue, name);
            }
        });
        return this;
    }

    @Override
    public EngineBuilder configuration(Map<String, String> properties) {
        registry.configuration(properties);
        return this;
    }

    @Override
    public EngineBuilder identity(String name) {
        this.identity = Bounds.name("builder.identity(…): the engine", name);
        return this;
    }

    @Override
    public EngineBuilder build(String name) {
        this.build = Bounds.build("builder.build(…)", name);
        return this;
    }

    @Override
    public EngineBuilder installation(String name) {
        this.installation = Adoption.checked(name);
        return this;
    }

    @Override
    public EngineBuilder drainTimeout(Duration timeout) {
        drain = timeout.isNegative() ? WaitBounds.notNegative("drainTimeout", timeout) : Jitter.bounded(timeout);
        return this;
    }

    @Override
    public EngineBuilder sessionLease(Duration lease) {
        if (!WorkerSession.bounded(lease).equals(lease)) {
            throw new IllegalArgumentException("sessionLease must be between " + WorkerSession.SHORTEST_LEASE + " and "
                    + WorkerSession.LONGEST_LEASE + ", not " + lease
                    + ": a process whose beat stands still for that long is"
                    + " taken for dead. Usual cause: a number without its unit, or with another (30ms for 30s).");
        }
        sessionLease = lease;
        return this;
    }

    @Override
    public EngineBuilder cancelGrace(Duration grace) {
        if (grace.isNegative()) {
            throw new IllegalArgumentException("cancelGrace must not be negative, and is " + grace
                    + ": it is how long the body of a cancelled background job may go on before it is interrupted.");
        }
        cancelGrace = Jitter.bounded(grace);
        return this;
    }

    @Override
    public EngineBuilder pollInterval(Duration interval) {
        if (interval.compareTo(SHORTEST_POLL) < 0) {
            throw new IllegalArgumentException("pollInterval must be at least " + SHORTEST_POLL + ", not " + interval
                    + ": an idle process would keep the database busy with questions. Work of this process and of those"
                    + " that notify it is found at once, whatever the interval.");
        }
        pollInterval = WaitBounds.bounded("pollInterval", interval);
        return this;
    }

    @Override
    public EngineBuilder callTimeout(Duration timeout) {
        call = WaitBounds.real("callTimeout", timeout, "each call that writes would be given up before it is sent.");
        return this;
    }

    @Override
    public EngineBuilder maxTransactionalActivities(int atOnce) {
        if (atOnce < 1) {
            throw new IllegalArgumentException("maxTransactionalActivities must be at least 1, not " + atOnce
                    + ". A process that runs none leaves their implementation out.");
        }
        transactional = atOnce;
        return this;
    }

    @Override
    public EngineBuilder maxPayloadBytes(int bytes) {
        maxPayloadBytes = bytes;
        return this;
    }

    @Override
    public EngineBuilder maxHistoryEvents(long events) {
        history = new HistoryLimit(events, history.bytes());
        return this;
    }

    @Override
    public EngineBuilder maxHistoryBytes(long bytes) {
        history = new HistoryLimit(history.events(), bytes);
        return this;
    }

    @Override
    public EngineBuilder jsonMapper(Consumer<? super JsonMapper.Builder> customizer) {
        Consumer<? super JsonMapper.Builder> before = mapper;
        mapper = json -> {
            before.accept(json);
            customizer.accept(json);
        };
        return this;
    }

    @Override
    public EngineBuilder errorSanitizer(ErrorSanitizer sanitizer) {
        errors = errors.sanitizedBy(sanitizer);
        return this;
    }

    @Override
    public EngineBuilder onAlert(Consumer<? super Alert> listener) {
        errors = errors.toldTo(listener);
        return this;
    }

    @Override
    public EngineBuilder keepDeadLetters(Duration time, int most) {
        if (time.isNegative() || most < 0) {
            throw new IllegalArgumentException(
                    "dead letters are kept for a time and in a number of 0 or more, not for " + time + " and " + most);
        }
        errors = errors.keeping(Jitter.bounded(time), most);
        return this;
    }

    @Override
    public EngineBuilder jobsOnExhausted(OnExhausted then) {
        registry.jobsOnExhausted(then);
        return this;
    }

    @Override
    public EngineBuilder exactArguments() {
        exactArguments = true;
        return this;
    }

    @Override
    public EngineBuilder stallOn(Class<? extends Throwable> type) {
        // A class that configuration names may be of any type.
        if (!Throwable.class.isAssignableFrom(type)) {
            throw new IllegalArgumentException("stallOn (durable.stall-on) takes exceptions, such as"
                    + " java.lang.RuntimeException, and " + type.getName() + " is none");
        }
        errors = errors.stallingOn(type);
        return this;
    }

    /**
     * Sets which failures of activities are worth another attempt, where a retry policy names no {@link RetryIf} of its
     * own. For containers, which know exceptions that no later attempt mends. The predicate must not throw.
     */
    public EngineBuilder retryIf(RetryIf question) {
        errors = errors.retriedIf(question);
        return this;
    }

    @Override
    public EngineBuilder intercept(Interceptor... more) {
        interception = interception.with(more);
        return this;
    }

    @Override
    public EngineBuilder propagate(ContextPropagator... more) {
        interception = interception.with(more);
        return this;
    }

    @Override
    public EngineBuilder observe(EngineObserver observer) {
        observers.add(observer);
        return this;
    }

    @Override
    public EngineBuilder clientOnly() {
        worker = false;
        return this;
    }

    /** Sets the drive that runs the steps; threads by default. For test kits. */
    public EngineBuilder drive(Drive cranks) {
        this.drive = cranks;
        return this;
    }

    /**
     * Makes replay strict, for test kits, whose histories were all made by the registered code: an input that differs
     * on replay is an error, a difference is not explained by a deployment, and code that blocks stalls its run at
     * once.
     */
    public EngineBuilder strict() {
        strict = true;
        return this;
    }

    /** Returns the registrations, read anew, without an engine. For test kits. */
    public Registry registered() {
        return registry.build();
    }

    /** Returns how values are written as JSON. For test kits. */
    public Consumer<? super JsonMapper.Builder> jsonMapper() {
        return mapper;
    }

    /** Returns the interceptors and context propagators. For test kits. */
    public Interception interception() {
        return interception;
    }

    /** Sets the rough weight of the runs that are kept in memory. For tests of evictions. */
    public EngineBuilder cacheBytes(long bytes) {
        cacheBytes = bytes;
        return this;
    }

    /** Sets the source of random ids. For test kits. */
    public EngineBuilder random(Supplier<UUID> ids) {
        this.random = ids;
        return this;
    }

    @Override
    public DurableEngine start() {
        PreparedEngine engine = prepare();
        begin(engine, engine::work);
        return engine;
    }

    /** Begins the work of an engine; where that fails, closes it, so that nothing of it goes on running. */
    private static void begin(PreparedEngine engine, Runnable start) {
        try {
            start.run();
        } catch (RuntimeException | Error e) {
            try {
                engine.close();
            } catch (RuntimeException | Error again) {
                e.addSuppressed(again);
            }
            throw e;
        }
    }

    private void refusePinnedWithoutBuild(Registry built) {
        if (worker && build == null) {
            built.workflows().stream()
                    .filter(type -> type.versioning() == Versioning.PINNED)
                    .findFirst()
                    .ifPresent(type -> {
                        throw new IllegalStateException("workflow " + type.name()
                                + " is PINNED to the build that begins it, and this worker names no build. Name it:"
                                + " builder.build(\"2026-11-27.1\"), another name for each deployment, the same in all of its"
                                + " processes.");
                    });
        }
    }

    /**
     * Checks all registrations and returns an engine whose client works; it claims nothing until {@link
     * PreparedEngine#work}.
     */
    public PreparedEngine prepare() {
        PayloadCodec payloads = new PayloadCodec(maxPayloadBytes, mapper);
        Registry built = registry.build(new StartChecks(payloads, store)::problems);
        if (queues.isEmpty()) {
            queues.put("default", QueueSettings.DEFAULT);
        }
        onRegistered.accept(new EngineContents(identity, worker, queues, built.workflows(), built.activities()));
        refusePinnedWithoutBuild(built);
        store.open();
        InstallationWatch watch = new InstallationWatch(store, installation);
        watch.look();
        if (worker) {
            watch.mustBeOwn();
        }
        watch.tell();
        EngineNames names = built.names(store.schema(), queues.keySet());
        FailureCodec failures = new FailureCodec(payloads, errors.sanitizer());
        Tries tries = new Tries(store.clock()::nanoTime, failures::loggable);
        Engine engine = new Engine(
                store,
                built,
                new EngineSettings(
                        identity,
                        queues,
                        new Limits(
                                drain,
                                sessionLease,
                                pollInterval,
                                call,
                                Limits.DEFAULT.turn(),
                                maxPayloadBytes,
                                cacheBytes,
                                cancelGrace,
                                transactional,
                                history),
                        worker,
                        strict,
                        payloads,
                        errors,
                        exactArguments,
                        interception.in(new InterceptedEngine(names, failures::loggable)),
                        build),
                drive == null ? new ThreadDrive(failures::loggable) : drive,
                random,
                watch,
                new Telemetry(
                        Observers.of(observers, System::nanoTime, failures::loggable, tries),
                        store.clock(),
                        new FailureLog(store.schema(), store.clock()::nanoTime, FailureCodec::loggable),
                        tries,
                        (type, failure) -> Engine.declares(built, type, failure)));
        begin(engine, engine::start);
        return engine;
    }

    private static String hostAndPid() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "unknown-host";
        }
        return host + "/" + ProcessHandle.current().pid();
    }

    private static final class QueueOptionsBuilder implements DurableEngine.QueueOptions {
        private final String name;
        private QueueSettings settings;

        QueueOptionsBuilder(String name, QueueSettings settings) {
            this.name = name;
            this.settings = settings;
        }

        QueueSettings settings() {
            return settings;
        }

        @Override
        public DurableEngine.QueueOptions slots(int slots) {
            if (slots < 1) {
                throw new IllegalArgumentException("queue " + name + ": slots must be at least 1, not " + slots
                        + ". A process that runs no activities leaves the queue out, or is clientOnly().");
            }
            settings = settings.withSlots(slots);
            return this;
        }

        @Override
        public DurableEngine.QueueOptions virtualThreads(boolean virtual) {
            settings = settings.withVirtualThreads(virtual);
            return this;
        }
    }
}
