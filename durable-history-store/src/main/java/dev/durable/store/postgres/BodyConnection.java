package dev.durable.store.postgres;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A transaction's connection in the hands of an activity's body, which may do with it whatever does not end the
 * transaction: that happens with the activity's completion. Closing it does nothing, so that it fits into what closes its
 * connections.
 */
final class BodyConnection implements InvocationHandler {
    private static final Set<String> ENDING = Set.of("commit", "setAutoCommit", "abort", "setTransactionIsolation");

    private final Connection connection;

    private BodyConnection(Connection connection) {
        this.connection = connection;
    }

    static Connection over(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                BodyConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new BodyConnection(connection));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
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
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
