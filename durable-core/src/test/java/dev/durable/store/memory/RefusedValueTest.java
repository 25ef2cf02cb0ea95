package dev.durable.store.memory;

import dev.durable.StoreRefusedException;
import dev.durable.client.DurableEngine;
import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobOrder;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewRun;
import dev.durable.store.Transition;
import dev.durable.store.contract.RefusedValueContract;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** The store in memory refuses nothing of itself: a test stands in front of it. */
class RefusedValueTest extends RefusedValueContract {

    @Override
    protected DurableEngine.Builder engine() {
        return DurableEngine.builder(refusing(new InMemoryHistoryStore())).pollInterval(Duration.ofMillis(20));
    }

    private static HistoryStore refusing(HistoryStore real) {
        return (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) -> {
                    if (method.getName().matches("historyStore|views|patient")) {
                        return proxy;
                    }
                    if (arguments != null
                            && arguments[0] instanceof List<?> items
                            && items.stream().anyMatch(RefusedValueTest::hasIt)) {
                        throw new StoreRefusedException("the test refused it, nothing was written");
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** In any text of what is to be written. */
    private static boolean hasIt(Object value) {
        return switch (value) {
            case null -> false;
            case String text -> text.contains(REFUSED);
            case Collection<?> all -> all.stream().anyMatch(RefusedValueTest::hasIt);
            case Record written
            when written instanceof JobUpdate
                    || written instanceof Transition
                    || written instanceof NewRun
                    || written instanceof Delivery
                    || written instanceof JobOrder
                    || written.getClass().getPackageName().matches("dev\\.durable\\.(store|history)") ->
                Stream.of(written.getClass().getRecordComponents()).anyMatch(part -> hasIt(part(written, part)));
            default -> false;
        };
    }

    private static Object part(Record of, RecordComponent part) {
        try {
            return part.getAccessor().invoke(of);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
