package dev.durable.store.postgres.internal.sql;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.jdbc.PgArray;
import org.postgresql.jdbc.PreferQueryMode;

/**
 * Writes arrays of UUIDs and timestamps as parameters in PostgreSQL's binary format. The driver does so for numbers and
 * texts; ids and times, of which every frequent statement has many, it would send as text.
 *
 * <p>The form: dimensions, whether there are nulls, the type of elements, length, lower bound; then each element with
 * its length in front, -1 for null (array_recv in PostgreSQL's arrayfuncs.c).
 */
final class BinaryArray {
    private static final int UUID_TYPE = 2950;
    private static final int UUID_ARRAY = 2951;
    private static final int UUID_BYTES = 16;
    private static final int TIME_TYPE = 1184;
    private static final int TIME_ARRAY = 1185;
    private static final int TIME_BYTES = 8;
    private static final int HEADER_BYTES = 20;
    private static final Instant TIMES_BEGIN = Instant.parse("2000-01-01T00:00:00Z");

    private BinaryArray() {}

    static void bind(PreparedStatement statement, int index, @Nullable UUID[] values) throws SQLException {
        if (textOnly(statement)) {
            statement.setArray(index, statement.getConnection().createArrayOf("uuid", values));
            return;
        }
        ByteBuffer bytes = header(values, UUID_TYPE, UUID_BYTES);
        for (UUID value : values) {
            if (value == null) {
                bytes.putInt(-1);
            } else {
                bytes.putInt(UUID_BYTES)
                        .putLong(value.getMostSignificantBits())
                        .putLong(value.getLeastSignificantBits());
            }
        }
        bind(statement, index, UUID_ARRAY, bytes);
    }

    static void bind(PreparedStatement statement, int index, @Nullable Instant[] values) throws SQLException {
        if (textOnly(statement)) {
            @Nullable String[] texts = new @Nullable String[values.length];
            for (int i = 0; i < values.length; i++) {
                Instant value = values[i];
                texts[i] = value == null ? null : value.toString();
            }
            statement.setArray(index, statement.getConnection().createArrayOf("timestamptz", texts));
            return;
        }
        ByteBuffer bytes = header(values, TIME_TYPE, TIME_BYTES);
        for (Instant value : values) {
            if (value == null) {
                bytes.putInt(-1);
            } else {
                bytes.putInt(TIME_BYTES).putLong(micros(value));
            }
        }
        bind(statement, index, TIME_ARRAY, bytes);
    }

    /** Microseconds since the year 2000, from which PostgreSQL counts. */
    static long micros(Instant value) {
        Duration since = Duration.between(TIMES_BEGIN, value);
        return Math.addExact(Math.multiplyExact(since.getSeconds(), 1_000_000L), since.getNano() / 1_000);
    }

    private static ByteBuffer header(@Nullable Object[] values, int type, int size) {
        int nulls = 0;
        for (Object value : values) {
            nulls += value == null ? 1 : 0;
        }
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + values.length * (4 + size) - nulls * size);
        bytes.putInt(values.length == 0 ? 0 : 1).putInt(nulls == 0 ? 0 : 1).putInt(type);
        if (values.length > 0) {
            bytes.putInt(values.length).putInt(1);
        }
        return bytes;
    }

    private static void bind(PreparedStatement statement, int index, int arrayType, ByteBuffer bytes)
            throws SQLException {
        byte[] sent = new byte[bytes.flip().remaining()];
        bytes.get(sent);
        statement.setArray(index, new PgArray(base(statement), arrayType, sent));
    }

    /** Returns whether the connection uses the simple protocol, which knows text only. */
    static boolean textOnly(PreparedStatement statement) throws SQLException {
        return base(statement).getPreferQueryMode() == PreferQueryMode.SIMPLE;
    }

    private static BaseConnection base(PreparedStatement statement) throws SQLException {
        Connection connection = statement.getConnection();
        return connection instanceof BaseConnection base ? base : connection.unwrap(BaseConnection.class);
    }
}
