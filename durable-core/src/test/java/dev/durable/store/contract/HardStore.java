package dev.durable.store.contract;

import dev.durable.store.HistoryStore;
import dev.durable.store.Nudges;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The hard settings of the tests, {@code mvn verify -Phard}: a store in front of another that writes batches item by item
 * and from which no nudge is heard. Engines of tests have a cache besides that keeps no run.
 */
public final class HardStore {
    /** True where the tests run under hard settings. */
    public static final boolean ON = Boolean.getBoolean("durable.test.hard");

    private static final Set<String> BATCHES = Set.of("start", "deliver", "update", "commit");

    private final HistoryStore behind;
    private final HistoryStore front;

    private HardStore(HistoryStore behind) {
        this.behind = behind;
        this.front = (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) -> call(method, arguments));
    }

    /** Returns the store; under hard settings, one in front of it. */
    public static HistoryStore of(HistoryStore store) {
        return ON ? over(store) : store;
    }

    static HistoryStore over(HistoryStore store) {
        return new HardStore(store).front;
    }

    private Object call(Method method, Object[] arguments) throws Throwable {
        if (method.getName().equals("historyStore")) {
            return front;
        }
        if (method.getName().equals("nudges")) {
            return new Unheard(behind.nudges());
        }
        if (!BATCHES.contains(method.getName()) || !(arguments[0] instanceof List<?> items)) {
            return invoke(method, arguments);
        }
        List<Object> outcomes = new ArrayList<>();
        for (Object item : items) {
            outcomes.addAll((List<?>) invoke(method, new Object[] {List.of(item)}));
        }
        return outcomes;
    }

    private Object invoke(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(behind, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Sends nudges, as other processes may listen, and hears none. */
    private record Unheard(Nudges sender) implements Nudges {
        @Override
        public void send(Collection<? extends Nudge> nudges) {
            sender.send(nudges);
        }

        @Override
        public AutoCloseable listen(Consumer<Nudge> listener) {
            return () -> {};
        }
    }
}
