package dev.durable.store.postgres.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import org.postgresql.util.ByteConverter;
import org.postgresql.util.PGBinaryObject;
import org.postgresql.util.PGobject;

/**
 * Converts a time, to the microsecond, to and from PostgreSQL's binary format. The driver would write it, and the
 * server read it, as text.
 */
final class BinaryTime extends PGobject implements PGBinaryObject {
    private static final long serialVersionUID = 1;
    private static final int BYTES = 8;

    private final Instant at;

    private BinaryTime(Instant at) {
        this.at = at;
        setType("timestamptz");
    }

    /** Binds a time; as text if the connection uses the simple protocol, which knows text only. */
    static void bind(PreparedStatement statement, int index, Instant value) throws SQLException {
        if (BinaryArray.textOnly(statement)) {
            statement.setObject(index, value.atOffset(ZoneOffset.UTC));
        } else {
            statement.setObject(index, new BinaryTime(value));
        }
    }

    @Override
    public String getValue() {
        return at.toString();
    }

    @Override
    public int lengthInBytes() {
        return BYTES;
    }

    @Override
    public void toBytes(byte[] bytes, int offset) {
        ByteConverter.int8(bytes, offset, BinaryArray.micros(at));
    }

    @Override
    public void setByteValue(byte[] value, int offset) {
        throw new UnsupportedOperationException("is sent only");
    }
}
