package dev.durable.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.durable.PayloadException;
import dev.durable.TypeRef;
import dev.durable.history.Payload;
import java.io.File;
import java.lang.reflect.Type;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Calendar;
import java.util.Comparator;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SimpleTimeZone;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that values of the JDK with more state than their JSON come back as they are, or are refused when written. */
class RicherThanJsonTest {
    private final PayloadCodec codec = new PayloadCodec(PayloadCodec.DEFAULT_MAX_BYTES);

    record Held(Locale locale, Pattern pattern, SortedMap<String, Integer> prices, Timestamp at) {}

    private Object travel(Object value, Type type) {
        return codec.decode(codec.encode(value, type, "it"), type, "it");
    }

    static Stream<Arguments> lossy() throws Exception {
        Comparator<String> reverse = Comparator.reverseOrder();
        SortedMap<String, Integer> map = new TreeMap<>(reverse);
        map.put("a", 1);
        TimeZone paris = TimeZone.getTimeZone("Europe/Paris");
        InetAddress named = InetAddress.getByAddress("db.example", new byte[] {10, 0, 0, 1});
        Timestamp fine = Timestamp.from(Instant.parse("2026-01-02T03:04:05.123456Z"));
        return Stream.of(
                Arguments.of(5L, Object.class, "would come back as an Integer"),
                Arguments.of(5L, Number.class, "would come back as an Integer"),
                Arguments.of(List.of(5L), new TypeRef<List<Object>>() {}.type(), "at [0]: a java.lang.Long"),
                Arguments.of(Map.of("n", -1L), new TypeRef<Map<String, Object>>() {}.type(), "come back as an Integer"),
                Arguments.of(map, new TypeRef<SortedMap<String, Integer>>() {}.type(), "without its comparator"),
                Arguments.of(new ConcurrentSkipListMap<>(map), ConcurrentSkipListMap.class, "without its comparator"),
                Arguments.of(new TreeSet<>(reverse), new TypeRef<SortedSet<String>>() {}.type(), "comparator"),
                Arguments.of(
                        new PriorityQueue<>(reverse), new TypeRef<PriorityQueue<String>>() {}.type(), "comparator"),
                Arguments.of(new PriorityBlockingQueue<>(3, reverse), PriorityBlockingQueue.class, "comparator"),
                Arguments.of(new GregorianCalendar(paris), Calendar.class, "Declare a ZonedDateTime"),
                Arguments.of(new SimpleTimeZone(1, "here"), TimeZone.class, "Declare a ZoneId"),
                Arguments.of(Pattern.compile("a", Pattern.CASE_INSENSITIVE), Pattern.class, "as in \"(?i)a\""),
                Arguments.of(Locale.of("no", "NO", "NY"), Locale.class, "its language tag does not say all of it"),
                Arguments.of(new File("a"), File.class, "Pass an absolute path"),
                Arguments.of(Path.of("a"), Path.class, "Pass an absolute path"),
                Arguments.of(named, InetAddress.class, "Declare a String"),
                Arguments.of(new InetSocketAddress(named, 1), InetSocketAddress.class, "createUnresolved(host, port)"),
                Arguments.of(fine, Date.class, "Declare a Timestamp or, better, an Instant"),
                Arguments.of(
                        new Held(Locale.ROOT, Pattern.compile("a", Pattern.DOTALL), null, null),
                        Held.class,
                        "at pattern: this java.util.regex.Pattern would come back as one without its flags"),
                Arguments.of(new Held(Locale.ROOT, null, map, null), Held.class, "at prices: a java.util.TreeMap"));
    }

    @ParameterizedTest
    @MethodSource("lossy")
    void aValueThatWouldLoseAPartIsRefusedWithTheWayOut(Object value, Type type, String says) {
        assertThatThrownBy(() -> codec.encode(value, type, "it"))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining(says);
    }

    static Stream<Arguments> whole() throws Exception {
        TreeMap<String, Integer> natural = new TreeMap<>(Map.of("b", 2, "a", 1));
        Calendar utc = new GregorianCalendar(TimeZone.getTimeZone("UTC"));
        utc.setTimeInMillis(5);
        return Stream.of(
                Arguments.of(Long.MAX_VALUE, Object.class),
                Arguments.of(natural, new TypeRef<SortedMap<String, Integer>>() {}.type()),
                Arguments.of(new TreeSet<>(Comparator.naturalOrder()), new TypeRef<SortedSet<String>>() {}.type()),
                Arguments.of(utc, Calendar.class),
                Arguments.of(TimeZone.getTimeZone("Europe/Paris"), TimeZone.class),
                Arguments.of(Locale.forLanguageTag("de-DE-POSIX"), Locale.class),
                Arguments.of(Path.of("/a/b"), Path.class),
                Arguments.of(new File("/a/b"), File.class),
                Arguments.of(InetAddress.getByAddress(new byte[] {10, 0, 0, 1}), InetAddress.class),
                Arguments.of(InetSocketAddress.createUnresolved("db", 1), InetSocketAddress.class),
                Arguments.of(Timestamp.from(Instant.parse("2026-01-02T03:04:05.123456789Z")), Timestamp.class),
                Arguments.of(Timestamp.from(Instant.parse("1969-12-31T23:59:59.999999999Z")), Timestamp.class),
                Arguments.of(new Timestamp(5), Timestamp.class),
                Arguments.of(
                        new Held(
                                Locale.ROOT,
                                null,
                                natural,
                                Timestamp.from(Instant.parse("2026-01-02T00:00:00.000001Z"))),
                        Held.class));
    }

    @ParameterizedTest
    @MethodSource("whole")
    void aValueWhoseJsonSaysAllComesBackEqual(Object value, Type type) {
        assertThat(travel(value, type)).isEqualTo(value).hasSameClassAs(value);
    }

    @Test
    void anOrderIsKeptWhereNoSortedTypeIsDeclared() {
        Set<String> reverse = new TreeSet<>(Comparator.reverseOrder());
        reverse.addAll(List.of("a", "b"));
        assertThat((Set<?>) travel(reverse, new TypeRef<Set<String>>() {}.type()))
                .map(String::valueOf)
                .containsExactly("b", "a");
    }

    @Test
    void aTimestampOfMillisecondsIsWrittenAsBeforeAndAnOldOneIsRead() {
        assertThat(codec.encode(new Timestamp(5), Timestamp.class, "it").json())
                .isEqualTo("\"1970-01-01T00:00:00.005Z\"");
        assertThat(codec.decode(new Payload("\"1970-01-01T00:00:00.005+00:00\""), Timestamp.class, "it"))
                .isEqualTo(new Timestamp(5));
        assertThat(codec.decode(new Payload("5"), Timestamp.class, "it")).isEqualTo(new Timestamp(5));
    }

    @Test
    void whatWasRecordedOfSuchATypeIsStillRead() {
        assertThat(codec.decode(new Payload("\"2026-01-02T00:00:00.000Z\""), Calendar.class, "it"))
                .isInstanceOf(Calendar.class);
        assertThat(codec.decode(new Payload("5"), Object.class, "it")).isEqualTo(5);
        assertThat(codec.decode(new Payload("{\"b\":1}"), new TypeRef<SortedMap<String, Integer>>() {}.type(), "it"))
                .isEqualTo(Map.of("b", 1));
    }

    static final class WrittenOnly {
        private final String code;

        private WrittenOnly(String code, int checked) {
            this.code = code + checked;
        }

        static WrittenOnly of(String code) {
            return new WrittenOnly(code, 1);
        }

        @JsonValue
        String code() {
            return code;
        }
    }

    static final class ReadToo {
        private final String code;

        @JsonCreator
        ReadToo(String code) {
            this.code = code;
        }

        @JsonValue
        String code() {
            return code;
        }
    }

    record Holder(WrittenOnly code) {}

    @Test
    void aClassThatIsWrittenAsOneValueAndCanNotBeMadeOfItIsRefusedBeforeAnyIsWritten() {
        assertThatThrownBy(() -> codec.check(Holder.class, "it"))
                .hasMessageContaining("code: " + WrittenOnly.class.getName())
                .hasMessageContaining(
                        "is written as one value, and has nothing that makes it of that again: annotate a constructor or static method that takes the value with @JsonCreator");
        codec.check(ReadToo.class, "it");
        assertThat(((ReadToo) travel(new ReadToo("x"), ReadToo.class)).code).isEqualTo("x");
    }
}
