package dev.durable.spring.test;

import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.EngineNames;
import dev.durable.client.UpkeepStep;
import dev.durable.client.WorkerStatus;
import dev.durable.observe.EngineStatistics;
import java.util.List;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.ProxyFactory;

/** The bean {@code DurableEngine}: stands for the engine of the test method that runs, whichever that is. */
final class EngineOfTest implements DurableEngine {
    private final CurrentEngine current;
    private final DurableClient client;

    EngineOfTest(CurrentEngine current) {
        this.current = current;
        this.client = ProxyFactory.getProxy(DurableClient.class, new Client(current));
    }

    @Override
    public DurableClient client() {
        return client;
    }

    @Override
    public boolean healthy() {
        return current.get().engine().healthy();
    }

    @Override
    public List<String> problems() {
        return current.get().engine().problems();
    }

    @Override
    public List<UpkeepStep> upkeep() {
        return current.get().engine().upkeep();
    }

    @Override
    public WorkerStatus worker() {
        return current.get().engine().worker();
    }

    @Override
    public EngineNames names() {
        return current.get().engine().names();
    }

    @Override
    public EngineStatistics statistics() {
        return current.get().engine().statistics();
    }

    @Override
    public void close() {
        current.end();
    }

    private record Client(CurrentEngine current) implements TargetSource {
        @Override
        public Class<?> getTargetClass() {
            return DurableClient.class;
        }

        @Override
        public Object getTarget() {
            return current.get().client();
        }
    }
}
