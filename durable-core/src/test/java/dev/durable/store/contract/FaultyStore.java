package dev.durable.store.contract;

import dev.durable.StoreUnavailableException;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A store that fails where a test tells it to, in front of any other. Thread-safe.
 *
 * <pre>{@code
 * FaultyStore faulty = FaultyStore.over(store);
 * faulty.next("commit", Fault.DONE_BUT_UNKNOWN);
 * faulty.store().commit(…);   // commits, and throws CommitUnknownException
 * faulty.store().commit(…);   // commits
 * }</pre>
 */
public final class FaultyStore {
    private static final List<String> METHODS =
            Arrays.stream(HistoryStore.class.getMethods()).map(Method::getName).toList();

    private final HistoryStore behind;
    private final HistoryStore front;
    private final Map<String, Queue<Fault>> faults = new ConcurrentHashMap<>();
    private final Map<String, Runnable> before = new ConcurrentHashMap<>();

    /** What goes wrong with one call. */
    public enum Fault {
        /** Nothing happens, and the caller knows: the database can't be reached. */
        UNAVAILABLE,
        /** It happens, but the answer is lost. */
        DONE_BUT_UNKNOWN,
        /** It does not happen, but the caller can't know. */
        NOT_DONE_AND_UNKNOWN
    }

    private FaultyStore(HistoryStore behind) {
        this.behind = behind;
        this.front = (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) -> call(method, arguments));
    }

    public static FaultyStore over(HistoryStore store) {
        return new FaultyStore(store);
    }

    /** The store to hand out. */
    public HistoryStore store() {
        return front;
    }

    /** The next calls of this method of {@link HistoryStore} fail so, one after another; then all is well again. */
    public void next(String method, Fault... what) {
        if (!METHODS.contains(method)) {
            throw new IllegalArgumentException("HistoryStore has no method " + method + ", only " + METHODS);
        }
        queue(method).addAll(List.of(what));
    }

    /** Happens before the next call of this method. */
    public void before(String method, Runnable what) {
        before.put(method, what);
    }

    /** Whether every fault that was asked for has been seen: a test that proves something asks at its end. */
    public boolean allSeen() {
        return faults.values().stream().allMatch(Queue::isEmpty);
    }

    private Object call(Method method, Object[] arguments) throws Throwable {
        Runnable first = before.remove(method.getName());
        if (first != null) {
            first.run();
        }
        Fault fault = queue(method.getName()).poll();
        if (fault == Fault.UNAVAILABLE) {
            throw new StoreUnavailableException(method.getName() + ": unavailable, as the test wants it");
        }
        Object result = fault == Fault.NOT_DONE_AND_UNKNOWN ? null : invoke(method, arguments);
        if (fault != null) {
            throw new CommitUnknownException(method.getName() + ": " + fault + ", as the test wants it", null);
        }
        return method.getName().equals("historyStore") ? front : result;
    }

    private Object invoke(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(behind, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private Queue<Fault> queue(String method) {
        return faults.computeIfAbsent(method, m -> new ConcurrentLinkedQueue<>());
    }
}
