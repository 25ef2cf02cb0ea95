package dev.durable.store.postgres;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections whose scripts are noted, and that may lose the answer to a COMMIT. */
final class WatchedStatements {
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final AtomicReference<@Nullable String> losing = new AtomicReference<>();

    DataSource over(DataSource behind) {
        return between(DataSource.class, behind, null);
    }

    /** The scripts that were prepared so far. */
    List<String> seen() {
        return seen;
    }

    /** The next script with this text that commits is executed, and its answer is lost with its connection. */
    void loseAnswerTo(String text) {
        losing.set(text);
    }

    private <T> T between(Class<T> type, Object behind, @Nullable String script) {
        return type.cast(Proxy.newProxyInstance(
                WatchedStatements.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(behind, arguments);
                        if (method.getName().equals("execute") && script != null && isLost(script)) {
                            throw new SQLException("the answer was lost", "08006");
                        }
                        return switch (method.getName()) {
                            case "getConnection" ->
                                type == DataSource.class ? between(Connection.class, result, null) : result;
                            case "prepareStatement" -> {
                                seen.add((String) arguments[0]);
                                yield between(PreparedStatement.class, result, (String) arguments[0]);
                            }
                            default -> result;
                        };
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private boolean isLost(String script) {
        String text = losing.get();
        return text != null && script.contains(text) && script.contains("commit") && losing.compareAndSet(text, null);
    }
}
