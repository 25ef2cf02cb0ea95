package dev.durable.internal.payload;

import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Calendar;
import java.util.Comparator;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TimeZone;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/**
 * Refuses values of those JDK types that have more state than their JSON, unless the value uses none of it: a Locale
 * that its language tag describes completely passes, a Pattern with flags does not. Each value is read back for the
 * check, which costs time; so only these types are checked, where a signature or property declares them.
 */
final class RicherThanJson implements ReadBackCheck {
    private static final Map<Class<?>, Loss> LOSSES = new LinkedHashMap<>();

    static {
        Loss order = new Loss(
                "one in natural order, without its comparator",
                "Declare a List, Set or Map, which keeps the order as it is, or use the natural order.");
        LOSSES.put(SortedMap.class, order);
        LOSSES.put(SortedSet.class, order);
        LOSSES.put(PriorityQueue.class, order);
        LOSSES.put(PriorityBlockingQueue.class, order);
        LOSSES.put(Calendar.class, new Loss("one in UTC, without its zone and settings", "Declare a ZonedDateTime."));
        LOSSES.put(TimeZone.class, new Loss("another, since only the id is written", "Declare a ZoneId."));
        LOSSES.put(
                Pattern.class,
                new Loss("one without its flags", "Write the flags into the expression, as in \"(?i)a\"."));
        LOSSES.put(
                Locale.class,
                new Loss("another, since its language tag does not say all of it", "Declare the text that is meant."));
        Loss relative = new Loss(
                "the absolute one that it is in the working directory of this process",
                "Pass an absolute path, or declare a String.");
        LOSSES.put(File.class, relative);
        LOSSES.put(Path.class, relative);
        LOSSES.put(
                InetAddress.class,
                new Loss(
                        "nothing, since of an address with a host name only the name is written", "Declare a String."));
        LOSSES.put(
                InetSocketAddress.class,
                new Loss(
                        "one that is not resolved",
                        "Pass InetSocketAddress.createUnresolved(host, port), or declare host and port."));
        LOSSES.put(Date.class, new Loss("one of milliseconds", "Declare a Timestamp or, better, an Instant."));
    }

    private final JavaType declared;
    private final Loss loss;
    private final JsonMapper mapper;

    /** The state that would get lost, in the words of {@link ReadBackCheck#instead}, and the way out. */
    private record Loss(String instead, String wayOut) {}

    private RicherThanJson(JavaType declared, Loss loss, JsonMapper mapper) {
        this.declared = declared;
        this.loss = loss;
        this.mapper = mapper;
    }

    /**
     * Returns whether even a value of exactly the declared class may have more state. A Date has not; a Timestamp
     * declared as Date has.
     */
    static boolean isAlways(JavaType declared) {
        return declared.getRawClass() != Date.class && lossOf(declared) != null;
    }

    /** Returns the check for the type; null for other types. */
    static @Nullable RicherThanJson of(JavaType declared, JsonMapper mapper) {
        Loss loss = lossOf(declared);
        return loss == null ? null : new RicherThanJson(declared, loss, mapper);
    }

    private static @Nullable Loss lossOf(JavaType declared) {
        Class<?> raw = declared.getRawClass();
        if (!raw.getName().startsWith("java.")) {
            return null;
        }
        for (Map.Entry<Class<?>, Loss> richer : LOSSES.entrySet()) {
            if (richer.getKey().isAssignableFrom(raw)) {
                return richer.getValue();
            }
        }
        return null;
    }

    @Override
    public @Nullable String instead(Object value) {
        String keys = declared.isMapLikeType() && declared.getKeyType().isJavaLangObject()
                ? ReadBackCheck.insteadOfKeys(value)
                : null;
        return keys != null || isKept(value) ? keys : loss.instead();
    }

    @Override
    public String wayOut() {
        return loss.wayOut();
    }

    private boolean isKept(Object value) {
        return switch (value) {
            case SortedMap<?, ?> map -> isNatural(map.comparator());
            case SortedSet<?> set -> isNatural(set.comparator());
            case PriorityQueue<?> queue -> isNatural(queue.comparator());
            case PriorityBlockingQueue<?> queue -> isNatural(queue.comparator());
            default -> isReadBack(value);
        };
    }

    private static boolean isNatural(@Nullable Comparator<?> order) {
        return order == null || order.equals(Comparator.naturalOrder());
    }

    private boolean isReadBack(Object value) {
        try {
            Object back = mapper.readerFor(declared).readValue(mapper.writeValueAsString(value));
            return switch (value) {
                case Pattern pattern ->
                    back instanceof Pattern same
                            && same.flags() == pattern.flags()
                            && same.pattern().equals(pattern.pattern());
                case Date date -> back instanceof Date same && NanosOfTimestamps.of(same) == NanosOfTimestamps.of(date);
                default -> value.equals(back);
            };
        } catch (JacksonException unreadable) {
            return false;
        }
    }
}
