package dev.durable.internal.declare;

import static dev.durable.internal.declare.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.mockito.Mockito.mock;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Promise;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import java.io.InputStream;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Types of which the declaration alone tells that no payload can carry them. */
class SignatureRefusalsTest {
    @Activity
    interface Living {
        void stream(InputStream in);

        void connection(Connection connection);

        CompletableFuture<String> future();

        Promise<String> promise();

        Stream<String> elements();

        void thread(Thread thread);

        void code(Map<String, Supplier<String>> suppliers);

        void array(Runnable[] tasks);

        void context(ActivityContext context);

        void activities(Living living);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "stream(InputStream) has a InputStream as parameter in | Pass the bytes, or where they are stored",
                "connection(Connection) has a Connection as parameter connection | Give the DataSource to the activity's",
                "future() has a CompletableFuture (within java.util.concurrent.CompletableFuture<java.lang.String>) as result | Return the value",
                "promise() has a Promise | Durable.async",
                "elements() has a Stream | Pass a List",
                "thread(Thread) has a Thread | Pass the data itself",
                "code(Map) has a Supplier (within java.util.Map<java.lang.String, java.util.function.Supplier<java.lang.String>>) as parameter suppliers | Code can't be stored",
                "array(Runnable[]) has a Runnable (within java.lang.Runnable[]) | Code can't be stored",
                "context(ActivityContext) has a ActivityContext | ActivityContext.current()",
                "activities(Living) has a Living | constructor parameter",
            })
    void living_things_are_refused(String what, String wayOut) {
        assertRefused(Registry.builder().activity(Living.class, mock(Living.class)))
                .hasMessageContaining("10 declarations are wrong")
                .hasMessageContaining("$Living." + what)
                .hasMessageContaining("which can't be stored")
                .hasMessageContaining(wayOut);
    }

    @Workflow
    static class Streaming {
        @Run
        public Stream<String> run(InputStream in) {
            return Stream.of();
        }
    }

    @Test
    void the_same_holds_for_workflows() {
        assertRefused(Streaming.class)
                .hasMessageContaining("$Streaming.run(InputStream) has a InputStream as parameter in")
                .hasMessageContaining("as result");
    }

    @Activity
    interface Plain {
        Object any(Object json, Map<String, ?> map, List<? extends Number> numbers, Optional<byte[]> bytes);
    }

    @Test
    void objects_and_wildcards_pass_and_come_back_as_json_has_them() {
        assertThatCode(() -> Registry.builder()
                        .activity(Plain.class, mock(Plain.class))
                        .build())
                .doesNotThrowAnyException();
    }

    static class Declined extends Exception {}

    static class Refused extends RuntimeException {}

    static class Odd extends RuntimeException {}

    @Activity(retry = @Retry(doNotRetry = Refused.class))
    interface Failing {
        @Activity(retry = @Retry(doNotRetry = {Odd.class, RuntimeException.class}))
        void fail() throws Declined, Exception;

        void other();
    }

    @Test
    void exceptions_are_named_by_throws_and_do_not_retry_and_too_wide_ones_name_nothing() {
        ActivityType type = Registry.builder().build().activityType(Failing.class);

        assertThat(type.methods().getFirst().spec().named()).containsExactly(Declined.class, Refused.class, Odd.class);
        assertThat(type.methods().getLast().spec().named()).containsExactly(Refused.class);
        assertThat(type.methods().getFirst().options().retry().doNotRetry())
                .containsExactly(Refused.class.getName(), Odd.class.getName(), RuntimeException.class.getName());
    }
}
