package dev.durable.internal.payload;

import dev.durable.EncodedValues;
import dev.durable.PayloadException;
import dev.durable.TypeRef;
import dev.durable.history.Payload;
import java.lang.reflect.Type;
import java.util.List;

/**
 * Reads the values of one stored list of arguments on demand. Its text shows their number and no value.
 *
 * @param codec reads the values
 * @param message the name of the message in errors
 * @param values the values, each as its JSON
 */
record StoredValues(PayloadCodec codec, String message, List<Payload> values) implements EncodedValues {

    @Override
    public int size() {
        return values.size();
    }

    @Override
    public <T> T get(int index, Class<T> type) {
        return read(index, type);
    }

    @Override
    public <T> T get(int index, TypeRef<T> type) {
        return read(index, type.type());
    }

    @SuppressWarnings({"unchecked", "NullAway"})
    private <T> T read(int index, Type type) {
        if (index < 0 || index >= values.size()) {
            throw PayloadErrors.notSent(message, index, values.size());
        }
        String what = "argument " + (index + 1) + " of " + message;
        Payload value = values.get(index);
        if (type instanceof Class<?> c && c.isPrimitive() && value.equals(Payload.NULL)) {
            throw PayloadException.ofStored(
                    PayloadErrors.nullForPrimitive(what, type).getMessage(), null);
        }
        return (T) codec.decodeFor(value, type, what, PayloadErrors.SENDERS_TYPE);
    }

    @Override
    public String toString() {
        return "EncodedValues[size=" + values.size() + "]";
    }
}
