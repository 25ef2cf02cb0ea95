package dev.durable.store.memory;

import static org.mockito.Mockito.mock;

import dev.durable.RemoteException;
import dev.durable.RetryableException;
import dev.durable.store.StoreSource;
import dev.durable.store.contract.UndescribableEnds;
import java.io.IOException;
import java.util.Map;
import java.util.function.Supplier;

class MemoryUndescribableEndsTest extends UndescribableEnds {
    private final InMemoryHistoryStore store = new InMemoryHistoryStore();

    @Override
    protected StoreSource store() {
        return store;
    }

    @Override
    protected boolean hasTransactions() {
        return false;
    }

    @Override
    protected Map<String, Supplier<? extends Throwable>> more() {
        return Map.of(
                "a mock", () -> mock(IllegalStateException.class),
                "a mock that is checked", () -> mock(IOException.class),
                "a mock of one of the engine's", () -> mock(RetryableException.class),
                "a mock of one that came from elsewhere", () -> mock(RemoteException.class));
    }
}
