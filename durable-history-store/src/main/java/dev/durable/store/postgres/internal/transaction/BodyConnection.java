package dev.durable.store.postgres.internal.transaction;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connection that the body of a transactional activity gets: a proxy that refuses whatever would end the
 * transaction, which the engine commits with the activity's completion. Closing it does nothing, so that it can be
 * given to code that closes its connections. The proxy notes errors of the database, as the body may wrap or swallow
 * them. An end of the transaction by SQL, or by calls of the driver's own classes, is found when the body has returned
 * ({@link BodyTransaction}).
 */
final class BodyConnection implements InvocationHandler {
    private static final Set<String> ENDING = Set.of("commit", "setAutoCommit", "abort", "setTransactionIsolation");

    private final Connection connection;
    private final Seen seen;

    private BodyConnection(Connection connection, Seen seen) {
        this.connection = connection;
        this.seen = seen;
    }

    /** The observer of the body's statements. */
    interface Seen {
        void failed(SQLException e);

        /** The driver is to cancel a statement after a time that the body has chosen. */
        void limited();
    }

    static Connection over(Connection connection, Seen seen) {
        return proxy(Connection.class, new BodyConnection(connection, seen));
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(BodyConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        String name = method.getName();
        boolean harmless = name.equals("setAutoCommit") && arguments != null && Boolean.FALSE.equals(arguments[0]);
        if (name.equals("close") || harmless) {
            return null;
        }
        if (ENDING.contains(name) || name.equals("rollback") && method.getParameterCount() == 0) {
            throw new IllegalStateException(name + "() on the connection of a transactional activity: its transaction"
                    + " commits together with the activity's completion, and rolls back when the body throws. Take the"
                    + " call out; a savepoint undoes a part.");
        }
        if (isItself(proxy, name, arguments)) {
            return proxy;
        }
        Object result = call(connection, method, arguments);
        return result instanceof Statement && Statement.class.isAssignableFrom(method.getReturnType())
                        || result instanceof DatabaseMetaData
                ? proxy(method.getReturnType(), (self, called, with) -> invoke(proxy, self, result, called, with))
                : result;
    }

    /**
     * Returns whether the call is {@code unwrap} to the proxy's own type, which need not show the connection behind it.
     * The driver's own classes are unwrapped: COPY needs them.
     */
    private static boolean isItself(Object proxy, String name, @Nullable Object @Nullable [] arguments) {
        return name.equals("unwrap")
                && arguments != null
                && arguments[0] instanceof Class<?> type
                && type.isInstance(proxy);
    }

    @SuppressWarnings("ReferenceEquality") // a proxy equals only itself
    private @Nullable Object invoke(
            Object owner, Object self, Object behind, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        Object first = arguments == null ? null : arguments[0];
        if (isItself(self, method.getName(), arguments)) {
            return self;
        }
        return switch (method.getName()) {
            case "equals" -> self == first;
            case "getConnection" -> owner;
            case "setQueryTimeout" -> {
                if (first instanceof Integer seconds && seconds > 0) {
                    seen.limited();
                }
                yield call(behind, method, arguments);
            }
            default -> {
                Object result = call(behind, method, arguments);
                yield result instanceof ResultSet rows && method.getReturnType() == ResultSet.class
                        ? proxy(ResultSet.class, (proxy, called, with) -> invoke(self, proxy, rows, called, with))
                        : result;
            }
        };
    }

    /**
     * Invokes a method of a result set: rows that are fetched in parts are fetched by statements of their own, which
     * may fail.
     */
    @SuppressWarnings("ReferenceEquality") // as above
    private @Nullable Object invoke(
            Object statement, Object self, ResultSet rows, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        return switch (method.getName()) {
            case "equals" -> arguments != null && self == arguments[0];
            case "getStatement" -> statement;
            default -> call(rows, method, arguments);
        };
    }

    private @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SQLException failed) {
                seen.failed(failed);
            }
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
