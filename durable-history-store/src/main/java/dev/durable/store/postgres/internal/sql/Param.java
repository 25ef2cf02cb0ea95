package dev.durable.store.postgres.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A parameter of a statement, usually an array with one column of a batch. */
@FunctionalInterface
public interface Param {
    String TIME = "timestamptz";

    void bind(PreparedStatement statement, int index) throws SQLException;

    static Param of(@Nullable Object value) {
        return (statement, index) -> statement.setObject(index, value);
    }

    static Param of(UUID value) {
        return (statement, index) -> statement.setObject(index, value);
    }

    static Param instant(@Nullable Instant value) {
        return value == null
                ? (statement, index) -> statement.setNull(index, Types.OTHER, TIME)
                : (statement, index) -> BinaryTime.bind(statement, index, value);
    }

    static <T> Param uuids(List<T> rows, Function<T, @Nullable UUID> column) {
        return new Column<>("uuid", values(rows, UUID[]::new, column), BinaryArray::bind, PreparedStatement::setObject);
    }

    static <T> Param shorts(List<T> rows, Function<T, Integer> column) {
        return array("int2", rows, Short[]::new, row -> column.apply(row).shortValue(), PreparedStatement::setShort);
    }

    static <T> Param ints(List<T> rows, Function<T, @Nullable Integer> column) {
        return array("int4", rows, Integer[]::new, column, PreparedStatement::setInt);
    }

    static <T> Param longs(List<T> rows, Function<T, @Nullable Long> column) {
        return array("int8", rows, Long[]::new, column, PreparedStatement::setLong);
    }

    static <T> Param bools(List<T> rows, Function<T, Boolean> column) {
        return array("bool", rows, Boolean[]::new, column, PreparedStatement::setBoolean);
    }

    /** A column of texts, or of json, which is cast in the statement. */
    static <T> Param texts(List<T> rows, Function<T, @Nullable String> column) {
        return new Column<>(
                "varchar", values(rows, String[]::new, column), arrayOf("text"), PreparedStatement::setString);
    }

    static <T> Param instants(List<T> rows, Function<T, @Nullable Instant> column) {
        return new Column<>(TIME, values(rows, Instant[]::new, column), BinaryArray::bind, BinaryTime::bind);
    }

    private static <T, C> Param array(
            String type,
            List<T> rows,
            IntFunction<@Nullable C[]> make,
            Function<T, ? extends @Nullable C> column,
            Binder<C> one) {
        return new Column<>(type, values(rows, make, column), arrayOf(type), one);
    }

    private static <C> Binder<@Nullable C[]> arrayOf(String type) {
        return (statement, index, values) ->
                statement.setArray(index, statement.getConnection().createArrayOf(type, values));
    }

    private static <T, C> @Nullable C[] values(
            List<T> rows, IntFunction<@Nullable C[]> make, Function<T, ? extends @Nullable C> column) {
        @Nullable C[] values = make.apply(rows.size());
        for (int i = 0; i < values.length; i++) {
            values[i] = column.apply(rows.get(i));
        }
        return values;
    }

    @FunctionalInterface
    interface Binder<V> {
        void bind(PreparedStatement statement, int index, V value) throws SQLException;
    }

    /** The values of a column, bound as one array, or row by row. */
    final class Column<C> implements Param {
        private final String type;
        private final @Nullable C[] values;
        private final Binder<@Nullable C[]> all;
        private final Binder<C> one;

        private Column(String type, @Nullable C[] values, Binder<@Nullable C[]> all, Binder<C> one) {
            this.type = type;
            this.values = values;
            this.all = all;
            this.one = one;
        }

        int length() {
            return values.length;
        }

        @Override
        public void bind(PreparedStatement statement, int index) throws SQLException {
            all.bind(statement, index, values);
        }

        /**
         * Binds one value. A null has the type of the other values, as for another type the driver would prepare the
         * statement anew.
         */
        void bindRow(PreparedStatement statement, int index, int row) throws SQLException {
            C value = values[row];
            if (value == null) {
                statement.setNull(index, Types.OTHER, type);
            } else {
                one.bind(statement, index, value);
            }
        }
    }
}
