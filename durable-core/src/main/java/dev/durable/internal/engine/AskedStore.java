package dev.durable.internal.engine;

import dev.durable.internal.drive.Drive;
import dev.durable.internal.text.Thrown;
import dev.durable.store.HistoryStore;
import dev.durable.store.Views;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The store as a client's thread uses it: each read, and each write that no lane takes, runs on another thread ({@link
 * Drive#ask}), and the client's thread waits for the answer within the time of its call. So that time bounds all that
 * the store does for a client, whatever the store waits for.
 */
final class AskedStore implements InvocationHandler {
    /** The methods that use no database, or that need the caller's own thread, to which its transaction is bound. */
    private static final Set<String> AT_ONCE = Set.of(
            "clock", "nudges", "joined", "trouble", "troubledFor", "historyStore", "equals", "hashCode", "toString");

    private final Object store;
    private final boolean isViews;
    private final Drive drive;
    private final Wait wait;

    /** Waits for an answer within the time of a call. */
    @FunctionalInterface
    interface Wait {
        /**
         * Returns the answer, or throws the exception of the store.
         *
         * @param what the name of the call, for the error
         */
        @Nullable
        Object forAnswer(CompletableFuture<@Nullable Object> answer, String what) throws Throwable;
    }

    private AskedStore(Object store, boolean isViews, Drive drive, Wait wait) {
        this.store = store;
        this.isViews = isViews;
        this.drive = drive;
        this.wait = wait;
    }

    static HistoryStore of(HistoryStore store, Drive drive, Wait wait) {
        return proxy(HistoryStore.class, new AskedStore(store, false, drive, wait));
    }

    private static <T> T proxy(Class<T> type, AskedStore handler) {
        return type.cast(Proxy.newProxyInstance(AskedStore.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.getName().equals("views")) {
            return proxy(Views.class, new AskedStore(((HistoryStore) store).views(), true, drive, wait));
        }
        if (AT_ONCE.contains(method.getName())) {
            return call(method, arguments);
        }
        Supplier<@Nullable Object> question = () -> callUnchecked(method, arguments);
        return wait.forAnswer(isViews ? drive.askViews(question) : drive.ask(question), method.getName());
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(store, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Calls a method of the store, which declares no checked exceptions. */
    private @Nullable Object callUnchecked(Method method, Object @Nullable [] arguments) {
        try {
            return call(method, arguments);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(Thrown.of(e).text(), e);
        }
    }
}
