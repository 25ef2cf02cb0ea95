package dev.durable.spring;

import dev.durable.StoreUnavailableException;
import dev.durable.UsageException;
import dev.durable.client.DurableClient;
import dev.durable.client.EngineNames;
import dev.durable.client.UpkeepStep;
import dev.durable.client.WorkerStatus;
import dev.durable.internal.engine.EngineBuilder;
import dev.durable.internal.engine.PreparedEngine;
import dev.durable.internal.text.Thrown;
import dev.durable.observe.EngineStatistics;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * The engine of an application context. The one that works is made when all singletons are there, or when its client is
 * first called: so activity beans may have the client injected, though the engine needs all of them. It is made anew when
 * the context goes on after a stop.
 *
 * <pre>
 *            singletons are there, or a call                    stop, pause, checkpoint
 *   nothing ─────────────────────────────────► made ─► works ─────────────────────────► nothing
 *      │ the database is away                    ▲                                       close: for ever
 *      └─► away: no call waits, and it is tried ─┘
 *          again in the background until it is there
 * </pre>
 *
 * Thread-safe.
 */
final class LateEngine implements PreparedEngine, SmartInitializingSingleton {
    private static final Logger log = LoggerFactory.getLogger(LateEngine.class);

    private final Surroundings surroundings;
    private final DurableClient client;
    private final @Nullable OpeningLoop opening;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable PreparedEngine made;
    private volatile @Nullable StoreUnavailableException away;
    private boolean wanted;
    private boolean closed;

    LateEngine(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.opening = surroundings.startsWithoutDatabase() ? new OpeningLoop(this::isOpenNow) : null;
        this.client = ProxyFactory.getProxy(DurableClient.class, new ClientOfEngine(this::engine));
    }

    /**
     * The parts that the application context gives to its engine, and its callbacks as the engine opens, works and
     * closes.
     */
    interface Surroundings {
        /** Asks for all beans that the engine is made of. */
        EngineBuilder parts();

        /** Returns whether the engine waits for a database that is away, instead of failing. */
        boolean startsWithoutDatabase();

        /** Called before the engine is made, when all singletons are there or it is to work again. */
        void beforeOpening();

        /** Called each time when the engine begins to work. */
        void onWork();

        /** Called when the engine is closed for ever. */
        void onClose();
    }

    private PreparedEngine engine() {
        PreparedEngine known = made;
        if (known != null) {
            return known;
        }
        StoreUnavailableException reason = away;
        if (reason != null) {
            throw new StoreUnavailableException(String.valueOf(reason.getMessage()), reason);
        }
        return make(parts());
    }

    /** Without the lock: a thread that makes beans may wait for another thread that makes beans. */
    private EngineBuilder parts() {
        try {
            return surroundings.parts();
        } catch (BeanCreationException e) {
            if (!e.contains(BeanCurrentlyInCreationException.class)) {
                throw e;
            }
            throw new UsageException(
                    "Durable's client was called while the application's beans were still being made, and activity bean "
                            + e.getBeanName()
                            + " is not there yet. Usual cause: a constructor or @PostConstruct method of an"
                            + " activity bean, or of a bean that it needs, that calls the client. Call it later: in an"
                            + " ApplicationRunner, or when ApplicationReadyEvent comes.",
                    e);
        }
    }

    private PreparedEngine make(EngineBuilder builder) {
        lock.lock();
        try {
            PreparedEngine known = made;
            if (known == null) {
                if (closed) {
                    throw new IllegalStateException("the engine is closed: its application context has ended");
                }
                known = prepared(builder);
                made = known;
                away = null;
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    private static PreparedEngine prepared(EngineBuilder builder) {
        try {
            return builder.prepare();
        } catch (RuntimeException e) {
            throw StoreAccess.isAway(e) ? e : StoreAccess.explained(e);
        }
    }

    @Override
    public void afterSingletonsInstantiated() {
        surroundings.beforeOpening();
        open();
    }

    /** Makes it, and has it work where that is wanted, or begins to wait for its database. */
    void open() {
        if (opening != null && away != null) {
            opening.begin();
            return;
        }
        EngineBuilder builder = made == null ? parts() : null;
        try {
            if (builder != null) {
                make(builder);
            }
            workIfWanted();
        } catch (RuntimeException e) {
            if (!StoreAccess.isAway(e)) {
                throw e;
            }
            if (opening == null) {
                throw StoreAccess.explained(e);
            }
            StoreUnavailableException reason = reason(e);
            away = reason;
            log.warn(
                    "Durable starts without its database. Until it is there health is down, and workflows can neither be"
                            + " started nor are they worked on; it is tried again every {} s."
                            + " durable.start-without-database=false lets the start fail instead. {}",
                    OpeningLoop.LONGEST.toSeconds(),
                    reason.getMessage());
            opening.begin();
        }
    }

    private static StoreUnavailableException reason(RuntimeException e) {
        String said = e instanceof StoreUnavailableException
                ? Thrown.of(e).words()
                : Thrown.of(StoreAccess.explained(e)).words();
        return new StoreUnavailableException(
                "Durable's store has not been open since this application began, nothing was done: " + said, e);
    }

    /** One try of the background; true where there is no more to be done. */
    private boolean isOpenNow() {
        try {
            make(parts());
            workIfWanted();
        } catch (RuntimeException e) {
            if (isClosed()) {
                return true;
            }
            RuntimeException seen = StoreAccess.isAway(e) ? e : StoreAccess.explained(e);
            StoreUnavailableException before = away;
            away = reason(seen);
            if (StoreAccess.isAway(e)) {
                log.debug("Durable's database is still away: {}", Masked.text(String.valueOf(seen.getMessage())));
            } else if (before == null || !String.valueOf(before.getMessage()).equals(away.getMessage())) {
                log.error("Durable can't begin", Masked.exception(seen));
            }
            return false;
        }
        log.info("Durable's database is there");
        return true;
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void work() {
        lock.lock();
        try {
            wanted = true;
        } finally {
            lock.unlock();
        }
        surroundings.beforeOpening();
        open();
    }

    /**
     * An engine that can't begin, as the database has gone again, is dropped as a whole: the next try makes another.
     */
    private void workIfWanted() {
        PreparedEngine engine;
        lock.lock();
        try {
            engine = wanted ? made : null;
            wanted = wanted && engine == null;
        } finally {
            lock.unlock();
        }
        if (engine != null) {
            try {
                engine.work();
            } catch (RuntimeException e) {
                drop(engine, e);
                throw e;
            }
            surroundings.onWork();
        }
    }

    private void drop(PreparedEngine engine, RuntimeException why) {
        lock.lock();
        try {
            // Unless it was stopped meanwhile.
            if (engine.equals(made)) {
                made = null;
                wanted = true;
            }
        } finally {
            lock.unlock();
        }
        try {
            engine.close();
        } catch (RuntimeException e) {
            why.addSuppressed(e);
        }
    }

    @Override
    public void claimNoMore() {
        PreparedEngine engine = made;
        if (engine != null) {
            engine.claimNoMore();
        }
    }

    /** Drains and stops; a call of the client, or the next {@link #work}, makes it anew. */
    void suspend() {
        end(false);
    }

    @Override
    public DurableClient client() {
        return client;
    }

    @Override
    public boolean healthy() {
        PreparedEngine engine = made;
        return engine != null && engine.healthy();
    }

    @Override
    public List<String> problems() {
        PreparedEngine engine = made;
        if (engine != null) {
            return engine.problems();
        }
        StoreUnavailableException reason = away;
        return List.of(reason == null ? "the engine is closed" : String.valueOf(reason.getMessage()));
    }

    @Override
    public List<UpkeepStep> upkeep() {
        PreparedEngine engine = made;
        return engine == null ? List.of() : engine.upkeep();
    }

    @Override
    public WorkerStatus worker() {
        PreparedEngine engine = made;
        return engine == null ? new WorkerStatus("", null, List.of(), 0, 0, 0) : engine.worker();
    }

    @Override
    public EngineNames names() {
        return engine().names();
    }

    @Override
    public EngineStatistics statistics() {
        return engine().statistics();
    }

    @Override
    public void close() {
        try {
            end(true);
        } finally {
            surroundings.onClose();
        }
    }

    private void end(boolean forEver) {
        if (opening != null) {
            opening.end();
        }
        PreparedEngine known;
        lock.lock();
        try {
            closed |= forEver;
            wanted = false;
            known = made;
            made = null;
            away = null;
        } finally {
            lock.unlock();
        }
        if (known != null) {
            known.close();
        }
    }

    /** The client behind the bean that is injected. */
    private record ClientOfEngine(Supplier<PreparedEngine> engine) implements TargetSource {
        @Override
        public Class<?> getTargetClass() {
            return DurableClient.class;
        }

        @Override
        public Object getTarget() {
            return engine.get().client();
        }
    }
}
