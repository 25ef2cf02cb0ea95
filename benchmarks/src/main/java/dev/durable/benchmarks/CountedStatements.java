package dev.durable.benchmarks;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Counts the round trips through a DataSource, each of one string of statements. */
final class CountedStatements {
    private CountedStatements() {}

    static DataSource of(DataSource dataSource, AtomicLong count) {
        return wrap(DataSource.class, dataSource, count);
    }

    private static <T> T wrap(Class<T> type, Object target, AtomicLong count) {
        return type.cast(Proxy.newProxyInstance(
                CountedStatements.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().startsWith("execute")) {
                        count.incrementAndGet();
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        return method.getName().equals("unwrap") ? result : wrapped(result, count);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private static @Nullable Object wrapped(@Nullable Object result, AtomicLong count) {
        return switch (result) {
            case Connection connection -> wrap(Connection.class, connection, count);
            case PreparedStatement statement -> wrap(PreparedStatement.class, statement, count);
            case Statement statement -> wrap(Statement.class, statement, count);
            case null, default -> result;
        };
    }
}
