package dev.durable.store.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A parameter of a statement; most are the columns of an {@code unnest}, one array each. */
@FunctionalInterface
interface Param {
    void bind(PreparedStatement statement, int index) throws SQLException;

    /** How many values an array has; 1 of what is none. */
    default int length() {
        return 1;
    }

    static Param of(@Nullable Object value) {
        return (statement, index) -> statement.setObject(index, value);
    }

    static Param of(UUID value) {
        return (statement, index) -> statement.setObject(index, value);
    }

    static <T> Param uuids(List<T> rows, Function<T, @Nullable UUID> column) {
        @Nullable UUID[] values = values(rows, UUID[]::new, column);
        return new Column(values.length, (statement, index) -> BinaryArray.bind(statement, index, values));
    }

    static <T> Param shorts(List<T> rows, Function<T, Integer> column) {
        return array("int2", rows, Short[]::new, row -> column.apply(row).shortValue());
    }

    static <T> Param ints(List<T> rows, Function<T, @Nullable Integer> column) {
        return array("int4", rows, Integer[]::new, column);
    }

    static <T> Param longs(List<T> rows, Function<T, @Nullable Long> column) {
        return array("int8", rows, Long[]::new, column);
    }

    static <T> Param bools(List<T> rows, Function<T, Boolean> column) {
        return array("bool", rows, Boolean[]::new, column);
    }

    /** Also for json, which is cast in the statement. */
    static <T> Param texts(List<T> rows, Function<T, @Nullable String> column) {
        return array("text", rows, String[]::new, column);
    }

    static <T> Param instants(List<T> rows, Function<T, @Nullable Instant> column) {
        @Nullable Instant[] values = values(rows, Instant[]::new, column);
        return new Column(values.length, (statement, index) -> BinaryArray.bind(statement, index, values));
    }

    private static <T, C> Param array(
            String type,
            List<T> rows,
            java.util.function.IntFunction<@Nullable C[]> make,
            Function<T, ? extends @Nullable C> column) {
        @Nullable C[] values = values(rows, make, column);
        return new Column(values.length, (statement, index) -> {
            Connection connection = statement.getConnection();
            statement.setArray(index, connection.createArrayOf(type, values));
        });
    }

    private static <T, C> @Nullable C[] values(
            List<T> rows,
            java.util.function.IntFunction<@Nullable C[]> make,
            Function<T, ? extends @Nullable C> column) {
        @Nullable C[] values = make.apply(rows.size());
        for (int i = 0; i < values.length; i++) {
            values[i] = column.apply(rows.get(i));
        }
        return values;
    }

    /** An array of values. */
    record Column(int length, Param values) implements Param {
        @Override
        public void bind(PreparedStatement statement, int index) throws SQLException {
            values.bind(statement, index);
        }
    }
}
