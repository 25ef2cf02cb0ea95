package dev.durable.spring;

import dev.durable.UsageException;
import dev.durable.client.DurableClient;
import dev.durable.client.UpkeepStep;
import dev.durable.client.WorkerStatus;
import dev.durable.internal.engine.EngineBuilder;
import dev.durable.internal.engine.PreparedEngine;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * An engine that is made when all singletons are there, or when its client is first called. So activity beans may have
 * the client injected, though the engine needs all of them.
 */
final class LateEngine implements PreparedEngine, SmartInitializingSingleton {
    private final Supplier<EngineBuilder> parts;
    private final DurableClient client;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable PreparedEngine made;
    private boolean closed;

    /**
     * @param parts asks for all beans that the engine is made of
     */
    LateEngine(Supplier<EngineBuilder> parts) {
        this.parts = parts;
        this.client = ProxyFactory.getProxy(DurableClient.class, new ClientOfEngine(this::engine));
    }

    private PreparedEngine engine() {
        PreparedEngine known = made;
        return known == null ? make(parts()) : known;
    }

    /** Without the lock: who makes beans may wait for another thread that makes beans. */
    private EngineBuilder parts() {
        try {
            return parts.get();
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
                known = builder.prepare();
                made = known;
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void afterSingletonsInstantiated() {
        engine();
    }

    @Override
    public void work() {
        engine().work();
    }

    @Override
    public DurableClient client() {
        return client;
    }

    @Override
    public boolean healthy() {
        return engine().healthy();
    }

    @Override
    public List<String> problems() {
        return engine().problems();
    }

    @Override
    public List<UpkeepStep> upkeep() {
        return engine().upkeep();
    }

    @Override
    public WorkerStatus worker() {
        return engine().worker();
    }

    @Override
    public void close() {
        PreparedEngine known;
        lock.lock();
        try {
            closed = true;
            known = made;
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
