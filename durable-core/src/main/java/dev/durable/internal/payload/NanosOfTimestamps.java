package dev.durable.internal.payload;

import java.lang.reflect.Method;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Date;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.std.StdScalarSerializer;

/**
 * Writes and reads {@code java.sql.Timestamp}, which has nanoseconds, where Jackson handles it as a Date of
 * milliseconds. A timestamp of whole milliseconds is written as Jackson does it. The type is known by its name: the
 * core uses no {@code java.sql}.
 */
@SuppressWarnings({"JavaUtilDate", "JavaInstantGetSecondsGetNano"}) // the type is what it is
final class NanosOfTimestamps {
    private static final int IN_A_MILLISECOND = 1_000_000;

    private NanosOfTimestamps() {}

    static void keepIn(SimpleModule module) {
        module.setSerializerModifier(new ValueSerializerModifier() {
            private static final long serialVersionUID = 1L;

            @Override
            public ValueSerializer<?> modifySerializer(
                    SerializationConfig config, BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
                return isTimestamp(bean.getBeanClass()) ? new Writer(serializer) : serializer;
            }
        });
        module.setDeserializerModifier(new ValueDeserializerModifier() {
            private static final long serialVersionUID = 1L;

            @Override
            public ValueDeserializer<?> modifyDeserializer(
                    DeserializationConfig config, BeanDescription.Supplier bean, ValueDeserializer<?> deserializer) {
                return isTimestamp(bean.getBeanClass()) ? new Reader(deserializer) : deserializer;
            }
        });
    }

    /** Returns the nanoseconds of a date beyond its milliseconds: 0, unless it is a Timestamp. */
    static int of(Date date) {
        return isTimestamp(date.getClass()) ? date.toInstant().getNano() % IN_A_MILLISECOND : 0;
    }

    private static boolean isTimestamp(Class<?> type) {
        return type.getName().equals("java.sql.Timestamp");
    }

    private static final class Writer extends StdScalarSerializer<Date> {
        private final ValueSerializer<Object> millis;

        @SuppressWarnings("unchecked")
        Writer(ValueSerializer<?> millis) {
            super(Date.class);
            this.millis = (ValueSerializer<Object>) millis;
        }

        /** Returns Jackson's own serializer for a property that has a format of its own. */
        @Override
        @SuppressWarnings("ReferenceEquality") // Jackson gives the very writer where there is none
        public ValueSerializer<?> createContextual(SerializationContext context, BeanProperty property) {
            ValueSerializer<?> formatted = millis.createContextual(context, property);
            return formatted == millis ? this : formatted;
        }

        @Override
        public void serialize(Date value, JsonGenerator out, SerializationContext context) {
            if (of(value) == 0) {
                millis.serialize(value, out, context);
            } else {
                out.writeString(value.toInstant().toString());
            }
        }
    }

    private static final class Reader extends DelegatingDeserializer {
        Reader(ValueDeserializer<?> millis) {
            super(millis);
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> millis) {
            return new Reader(millis);
        }

        @Override
        public Object deserialize(JsonParser in, DeserializationContext context) {
            String text = in.currentToken() == JsonToken.VALUE_STRING ? in.getString() : "";
            Object read = super.deserialize(in, context);
            return read instanceof Date date && isTimestamp(date.getClass()) ? withNanos(date, text) : read;
        }

        private static Date withNanos(Date timestamp, String text) {
            try {
                Instant exact = Instant.parse(text);
                if (exact.toEpochMilli() == timestamp.getTime()) {
                    Method setNanos = timestamp.getClass().getMethod("setNanos", int.class);
                    setNanos.invoke(timestamp, exact.getNano());
                }
                return timestamp;
            } catch (DateTimeParseException coarse) {
                return timestamp;
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("java.sql.Timestamp without setNanos", e);
            }
        }
    }
}
