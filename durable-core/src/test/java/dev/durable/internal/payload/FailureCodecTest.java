package dev.durable.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.acme.Problems;
import com.acme.Problems.CardDeclined;
import com.acme.Problems.Coded;
import com.acme.Problems.Hostile;
import com.acme.Problems.Money;
import com.acme.Problems.PaymentProblem;
import com.acme.Problems.Rejection;
import com.acme.Problems.WithSocket;
import dev.durable.NonRetryableException;
import dev.durable.PayloadException;
import dev.durable.RemoteException;
import dev.durable.history.Failure;
import dev.durable.history.Payload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailureCodecTest {
    private final FailureCodec codec = new FailureCodec(new PayloadCodec(PayloadCodec.DEFAULT_MAX_BYTES));

    @SafeVarargs
    @SuppressWarnings("varargs")
    private final Throwable travel(Throwable thrown, Class<? extends Throwable>... named) {
        Collection<Class<? extends Throwable>> types = List.of(named);
        Failure failure = codec.encode(thrown, types);
        Failure stored = codec.fromJson(codec.toJson(failure).json());
        assertThat(stored).isEqualTo(failure);
        return codec.decode(stored, types, getClass().getClassLoader());
    }

    @Test
    void a_named_exception_comes_back_as_itself() {
        Throwable thrown = catchThrowable(Problems::decline);
        CardDeclined back = (CardDeclined) travel(thrown, CardDeclined.class);

        assertThat(back).isNotSameAs(thrown).hasMessage("declined");
        assertThat(back.code()).isEqualTo(51);
        assertThat(back.amount()).isEqualTo(new Money(new BigDecimal("10.00"), "EUR"));
        assertThat(back.limits()).isEqualTo(((CardDeclined) thrown).limits());
        assertThat(back.payment()).isEqualTo("p-1");
        assertThat(back.ownPayment()).isEqualTo("hidden");
        assertThat(back.getStackTrace()[0])
                .hasToString("com.acme.Problems.decline(Problems.java:" + line(thrown) + ")");
        assertThat(back.getCause())
                .isInstanceOf(RemoteException.class)
                .hasMessage("java.io.IOException: reset by peer");
        back.addSuppressed(new RuntimeException("details of the attempt"));
        assertThat(back.getSuppressed()).hasSize(1);
    }

    private static int line(Throwable thrown) {
        return thrown.getStackTrace()[0].getLineNumber();
    }

    @Test
    void everything_else_comes_back_as_data() {
        Throwable back = travel(new IllegalStateException("no", new IOException((String) null)), CardDeclined.class);
        assertThat(back)
                .isInstanceOfSatisfying(
                        RemoteException.class, e -> assertThat(e.type()).isEqualTo("java.lang.IllegalStateException"));
        assertThat(back).hasMessage("java.lang.IllegalStateException: no");
        assertThat(back.getCause()).isInstanceOf(RemoteException.class).hasMessage("java.io.IOException");
    }

    @Test
    void a_cause_and_a_suppressed_one_come_back_as_themselves_where_they_are_named() {
        Exception thrown = new Exception("outer", new CardDeclined(1, null, null));
        thrown.addSuppressed(new CardDeclined(2, null, null));
        Throwable back = travel(thrown, CardDeclined.class);
        assertThat(back).isInstanceOf(RemoteException.class);
        assertThat(((CardDeclined) back.getCause()).code()).isEqualTo(1);
        assertThat(((CardDeclined) back.getSuppressed()[0]).code()).isEqualTo(2);
    }

    @Test
    void a_subclass_of_a_named_type_comes_back_as_itself() {
        assertThat(travel(new CardDeclined(7, null, null), PaymentProblem.class))
                .isInstanceOfSatisfying(
                        CardDeclined.class, e -> assertThat(e.code()).isEqualTo(7));
        assertThat(travel(new Rejection.TooLate(), Rejection.class)).isInstanceOf(Rejection.TooLate.class);
    }

    @Test
    void a_subclass_that_is_not_here_comes_back_as_the_named_type() {
        Collection<Class<? extends Throwable>> named = List.of(PaymentProblem.class);
        Failure failure = codec.encode(new CardDeclined(7, null, null), named);
        Failure renamed = new Failure(
                "com.acme.NewProblem", failure.message(), failure.stack(), failure.fields(), null, List.of());
        assertThat(codec.decode(renamed, named, getClass().getClassLoader()))
                .isExactlyInstanceOf(PaymentProblem.class)
                .hasMessage("declined");
    }

    /** Comes from a process that has a class of this application which is not here. */
    private Throwable fromElsewhere(Throwable thrown) {
        Failure failure = codec.encode(thrown, List.of());
        Failure renamed = new Failure(
                "com.acme.NewProblem", failure.message(), failure.stack(), failure.fields(), null, List.of());
        return codec.decode(renamed, List.of(), getClass().getClassLoader());
    }

    @Test
    void data_of_an_exception_that_nothing_names_has_the_names_of_its_superclasses_and_no_field() {
        Failure failure = codec.encode(new CardDeclined(7, null, null), List.of());
        assertThat(failure.fields()).isEqualTo(new Payload("{\"@is\":\"" + PaymentProblem.class.getName() + "\"}"));
        assertThat(fromElsewhere(new CardDeclined(7, null, null)))
                .isInstanceOfSatisfying(RemoteException.class, remote -> {
                    assertThat(remote.type()).isEqualTo("com.acme.NewProblem");
                    assertThat(remote.superclasses()).containsExactly(PaymentProblem.class.getName());
                    assertThat(codec.encode(remote, List.of()).fields()).isEqualTo(failure.fields());
                });
        assertThat(codec.encode(new IllegalStateException("x"), List.of()).fields())
                .isNull();
    }

    @Test
    @SuppressWarnings("serial")
    void what_extends_the_librarys_exceptions_and_is_not_here_comes_back_as_the_nearest_of_them() {
        assertThat(fromElsewhere(new NonRetryableException("no") {}))
                .isExactlyInstanceOf(NonRetryableException.class)
                .hasMessage("no");
    }

    @Test
    void the_general_types_name_nothing_but_themselves() {
        assertThat(travel(new CardDeclined(7, null, null), Exception.class, RuntimeException.class, Throwable.class))
                .isInstanceOf(RemoteException.class);
        assertThat(travel(new Exception("just so"), Exception.class))
                .isExactlyInstanceOf(Exception.class)
                .hasMessage("just so");
    }

    @Test
    void a_class_that_data_names_is_not_touched_unless_the_signature_does() {
        Failure forged = new Failure("com.acme.Problems$Initialised", "x", "", new Payload("{}"), null, List.of());
        Throwable back =
                codec.decode(forged, List.of(PaymentProblem.class), getClass().getClassLoader());
        assertThat(back).isInstanceOf(RemoteException.class);
        assertThat(Problems.touched).isFalse();
    }

    @Test
    void a_message_that_the_class_decorates_is_decorated_once() {
        assertThat(travel(new Coded("E1", "no [E1] x"), Coded.class)).hasMessage("[E1] no [E1] x!");
        assertThat(travel(new Coded("E1", null), Coded.class)).hasMessage("[E1] null!");
        assertThat(travel(new Coded(null, ""), Coded.class)).hasMessage("[null] !");
    }

    @Test
    void a_field_that_cannot_travel_is_told_and_the_others_arrive() {
        WithSocket back = (WithSocket) travel(new WithSocket("db-1"), WithSocket.class);
        assertThat(back.host()).isEqualTo("db-1");
        assertThat(back.socket()).isNull();
        assertThat(back.scratch).isNull();
        assertThat(back.getSuppressed()).hasSize(1);
        assertThat(back.getSuppressed()[0])
                .isInstanceOf(PayloadException.class)
                .hasMessageStartingWith(
                        "fields of com.acme.Problems$WithSocket that did not travel with it: socket (field socket is declared as java.net.Socket, which could be written but not read back: ")
                .hasMessageEndingWith("Make them serialisable, or transient if they are not needed.");
    }

    @Test
    void exceptions_of_the_jdk_can_be_named() {
        Throwable cause = new IOException("disk");
        assertThat(travel(
                        new UncheckedIOException("x", new IOException("disk")),
                        UncheckedIOException.class,
                        IOException.class))
                .isExactlyInstanceOf(UncheckedIOException.class)
                .hasMessage("x")
                .hasCauseExactlyInstanceOf(IOException.class);
        Throwable bare = travel(new UncheckedIOException("x", (IOException) cause), UncheckedIOException.class);
        assertThat(bare).isExactlyInstanceOf(UncheckedIOException.class).hasNoCause();
        assertThat(bare.getSuppressed()[0]).hasMessage("java.io.IOException: disk");
    }

    @Test
    void what_passes_through_several_hands_keeps_type_and_message() {
        Throwable once = travel(new IllegalStateException("no"));
        Throwable twice = travel(once);
        assertThat(twice).hasMessage("java.lang.IllegalStateException: no");
        assertThat(((RemoteException) twice).type()).isEqualTo("java.lang.IllegalStateException");
        assertThat(travel(travel(new IllegalStateException()))).hasMessage("java.lang.IllegalStateException");
    }

    @Test
    void a_stack_is_cut_to_what_is_useful() {
        Failure failure = codec.encode(catchThrowable(() -> Problems.recurse(3)), List.of());
        assertThat(failure.stack().lines().toList())
                .noneMatch(frame -> frame.startsWith("dev.durable.") || frame.startsWith("java.lang.reflect."))
                .filteredOn(frame -> frame.matches("com\\.acme\\.Problems\\.recurse\\(Problems\\.java:\\d+\\)"))
                .hasSize(4);
        Failure deep = codec.encode(catchThrowable(() -> Problems.recurse(400)), List.of());
        assertThat(deep.stack().lines()).hasSize(51).last().asString().matches("\\.\\.\\. \\d+ more");
        assertThat(codec.decode(deep, List.of(), getClass().getClassLoader()).getStackTrace())
                .hasSize(50);
    }

    @Test
    void frames_of_every_kind_come_back() {
        StackTraceElement[] frames = {
            new StackTraceElement("com.acme.A", "run", "A.java", 12),
            new StackTraceElement("com.acme.A$B", "<init>", null, -1),
            new StackTraceElement("com.acme.A", "nat", null, -2),
            new StackTraceElement("com.acme.A$$Lambda/0x00007f", "x", "A.java", -1),
            new StackTraceElement("Unpackaged", "näme", "Datei (1).java", 3)
        };
        assertThat(StackText.parse(StackText.of(frames))).containsExactly(frames);
        assertThat(StackText.parse("nonsense\n\nat (\n() \n.(x")).isEmpty();
    }

    @Test
    void causes_in_a_circle_end() {
        Exception a = new Exception("a");
        Exception b = new Exception("b", a);
        a.initCause(b);
        a.addSuppressed(b);
        Throwable back = travel(a);
        assertThat(back.getCause().getCause()).hasMessage("java.lang.Exception: (the same exception as above)");
    }

    @Test
    void a_very_deep_chain_keeps_its_root() {
        Throwable chain = new IOException("the root");
        for (int i = 0; i < 5_000; i++) {
            chain = new RuntimeException("level " + i, chain);
        }
        Throwable back = travel(chain);
        int depth = 1;
        while (back.getCause() != null) {
            back = back.getCause();
            depth++;
        }
        assertThat(depth).isEqualTo(21);
        assertThat(back).hasMessage("java.io.IOException: (4980 causes left out) the root");
    }

    @Test
    void very_many_suppressed_ones_are_cut() {
        Exception tree = tree(4);
        assertThat(codec.toJson(codec.encode(tree, List.of())).bytes()).isLessThan(400_000);
    }

    private static Exception tree(int depth) {
        Exception exception = new Exception("depth " + depth);
        for (int i = 0; i < 20 && depth > 0; i++) {
            exception.addSuppressed(tree(depth - 1));
        }
        return exception;
    }

    @Test
    void a_huge_message_is_cut_to_4_KiB_and_says_so() {
        String message = "😀".repeat(1_000_000);
        assertThat(codec.encode(new Exception("x" + message), List.of()).message())
                .isEqualTo("x" + "😀".repeat(1_007) + "… (cut, 2,000,001 characters in all)");
    }

    @Test
    void a_cut_message_that_passes_through_several_hands_is_cut_once() {
        Failure once = codec.encode(new Exception("x".repeat(1_000_000)), List.of());
        Failure twice = codec.encode(codec.decode(once, List.of(), getClass().getClassLoader()), List.of());

        assertThat(twice.message()).isEqualTo(once.message());
    }

    @Test
    void a_huge_stack_is_cut_to_32_KiB_and_says_so() {
        Exception deep = new Exception("deep");
        StackTraceElement[] frames = new StackTraceElement[40];
        Arrays.fill(frames, new StackTraceElement("com.acme." + "Name".repeat(500), "call", "Name.java", 7));
        deep.setStackTrace(frames);

        String stack = codec.encode(deep, List.of()).stack();

        assertThat(stack.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(32 << 10);
        assertThat(stack).endsWith("(Name.java:7)\n... cut");
    }

    @Test
    void messages_of_causes_and_suppressed_exceptions_are_recorded_without_secrets() {
        Exception thrown = new Exception("for ann@acme.com", new Exception("jdbc:postgresql://app:s3cret@db/orders"));
        thrown.addSuppressed(new Exception("password=s3cret"));

        Failure failure = codec.encode(thrown, List.of());

        assertThat(failure.message()).isEqualTo("for ***@***");
        assertThat(failure.cause().message()).isEqualTo("jdbc:postgresql://***@db/orders");
        assertThat(failure.suppressed().getFirst().message()).isEqualTo("password=***");
        assertThat(failure.type()).isEqualTo("java.lang.Exception");
    }

    @Test
    void a_sanitizer_that_fails_leaves_the_message_out_and_hides_nothing_else() {
        FailureCodec broken = new FailureCodec(new PayloadCodec(PayloadCodec.DEFAULT_MAX_BYTES), text -> {
            throw new IllegalStateException("no pattern");
        });

        Failure failure = broken.encode(new Exception("secret"), List.of());

        assertThat(failure.message())
                .isEqualTo("(left out: the error sanitizer failed with java.lang.IllegalStateException)");
        assertThat(failure.stack()).isNotEmpty();
    }

    @Test
    void an_exception_whose_getters_throw_still_travels() {
        Throwable back = travel(new Hostile());
        assertThat(back)
                .hasMessageStartingWith(
                        "com.acme.Problems$Hostile: (not all of this exception can be read: getMessage() threw ")
                .hasMessageEndingWith(")")
                .hasNoCause();
        assertThat(travel(new Hostile(), Hostile.class)).isInstanceOf(RemoteException.class);
    }

    @Test
    void half_characters_travel() {
        assertThat(travel(new Exception("\0 \ud83d"), Exception.class)).hasMessage("\0 \ud83d");
    }

    @Test
    void what_is_hidden_in_fields_of_data_is_ignored() {
        Failure odd = new Failure(
                CardDeclined.class.getName(),
                "m",
                "",
                new Payload("{\"code\":\"many\",\"nothing\":1}"),
                null,
                List.of());
        Throwable back =
                codec.decode(odd, List.of(CardDeclined.class), getClass().getClassLoader());
        assertThat(back).isInstanceOf(CardDeclined.class).hasMessage("m");
        assertThat(Arrays.toString(back.getSuppressed())).contains("field code can't be read as int");
    }
}
