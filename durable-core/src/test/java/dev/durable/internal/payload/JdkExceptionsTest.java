package dev.durable.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.RemoteException;
import dev.durable.history.Failure;
import dev.durable.history.Payload;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.Serializable;
import java.net.URISyntaxException;
import java.nio.charset.MalformedInputException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.sql.BatchUpdateException;
import java.sql.DataTruncation;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.text.ParseException;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.MissingResourceException;
import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.api.Test;

/** Tests that exceptions of the JDK that a signature names come back with the values of their getters. */
class JdkExceptionsTest {
    private final FailureCodec codec = new FailureCodec(new PayloadCodec(PayloadCodec.DEFAULT_MAX_BYTES));

    private <X extends Throwable> X travel(X thrown, Class<? super X> named) {
        List<Class<? extends Throwable>> types = List.of(named.asSubclass(Throwable.class));
        Failure stored =
                codec.fromJson(codec.toJson(codec.encode(thrown, types)).json());
        Throwable back = codec.decode(stored, types, getClass().getClassLoader());
        assertThat(back).hasSameClassAs(thrown).isNotSameAs(thrown).hasMessage(thrown.getMessage());
        @SuppressWarnings("unchecked")
        X same = (X) back;
        return same;
    }

    @Test
    void anSqlExceptionKeepsItsStateAndCode() {
        SQLException back = travel(
                new SQLIntegrityConstraintViolationException("duplicate key", "23505", 7, new IOException("reset")),
                SQLException.class);
        assertThat(back.getSQLState()).isEqualTo("23505");
        assertThat(back.getErrorCode()).isEqualTo(7);
        assertThat(back.getCause()).isInstanceOf(RemoteException.class).hasMessage("java.io.IOException: reset");
        assertThat(back.getSuppressed()).isEmpty();
    }

    static class ShopSqlException extends SQLException {
        final List<String> tables;
        private final transient Object connection = new Object();

        ShopSqlException(String reason, String state, List<String> tables) {
            super(reason + "!", state, 42);
            this.tables = tables;
        }
    }

    @Test
    void aSubclassOfAnSqlExceptionKeepsItsOwnFieldsAndThoseOfTheJdk() {
        ShopSqlException back = travel(new ShopSqlException("no", "40001", List.of("a", "b")), ShopSqlException.class);
        assertThat(back.getSQLState()).isEqualTo("40001");
        assertThat(back.getErrorCode()).isEqualTo(42);
        assertThat(back.tables).containsExactly("a", "b");
        assertThat(back.connection).isNull();
    }

    @Test
    void aBatchKeepsItsCounts() {
        BatchUpdateException back =
                travel(new BatchUpdateException("b", "23514", 3, new int[] {1, -3}), BatchUpdateException.class);
        assertThat(back.getUpdateCounts()).containsExactly(1, -3);
        assertThat(back.getLargeUpdateCounts()).containsExactly(1L, -3L);
        assertThat(back.getSQLState()).isEqualTo("23514");
        DataTruncation cut = travel(new DataTruncation(2, true, false, 9, 4), DataTruncation.class);
        assertThat(cut.getIndex()).isEqualTo(2);
        assertThat(cut.getTransferSize()).isEqualTo(4);
        assertThat(cut.getSQLState()).isEqualTo("22001");
    }

    @Test
    void exceptionsOfFilesKeepTheirPaths() {
        NoSuchFileException back =
                travel(new NoSuchFileException("/a", "/b", "gone"), java.nio.file.FileSystemException.class);
        assertThat(back.getFile()).isEqualTo("/a");
        assertThat(back.getOtherFile()).isEqualTo("/b");
        assertThat(back.getReason()).isEqualTo("gone");
        InvalidPathException path = travel(new InvalidPathException("a\0", "Nul", 1), InvalidPathException.class);
        assertThat(path.getInput()).isEqualTo("a\0");
        assertThat(path.getIndex()).isOne();
        assertThat(travel(new MalformedInputException(3), MalformedInputException.class)
                        .getInputLength())
                .isEqualTo(3);
        assertThat(travel(new FileNotFoundException("f"), IOException.class)).hasNoSuppressedExceptions();
    }

    @Test
    void exceptionsOfTextsKeepTheTextAndThePlaceInIt() throws Exception {
        URISyntaxException uri = travel(new URISyntaxException("a b", "blank", 1), URISyntaxException.class);
        assertThat(uri.getInput()).isEqualTo("a b");
        assertThat(uri.getReason()).isEqualTo("blank");
        assertThat(uri.getIndex()).isOne();
        DateTimeParseException date =
                travel(new DateTimeParseException("no date", "x", 4), DateTimeParseException.class);
        assertThat(date.getParsedString()).isEqualTo("x");
        assertThat(date.getErrorIndex()).isEqualTo(4);
        MissingResourceException resource =
                travel(new MissingResourceException("m", "Texts", "key"), MissingResourceException.class);
        assertThat(resource.getClassName()).isEqualTo("Texts");
        assertThat(resource.getKey()).isEqualTo("key");
        assertThat(travel(new ParseException("p", 5), ParseException.class).getErrorOffset())
                .isEqualTo(5);
        assertThat(travel(new PatternSyntaxException("d", "(", 1), PatternSyntaxException.class)
                        .getPattern())
                .isEqualTo("(");
        assertThat(travel(new TypeNotPresentException("a.B", null), TypeNotPresentException.class)
                        .typeName())
                .isEqualTo("a.B");
    }

    @Test
    void aCauseThatTheConstructorDoesNotTakeIsThereToo() {
        NoSuchFileException thrown = new NoSuchFileException("/a");
        thrown.initCause(new IOException("io"));
        assertThat(travel(thrown, NoSuchFileException.class).getCause()).hasMessage("java.io.IOException: io");
    }

    static class Interrupted extends InterruptedIOException implements Serializable {
        Interrupted(int bytes) {
            super("stopped");
            bytesTransferred = bytes;
        }
    }

    @Test
    void aFieldOfTheJdkThatNothingGivesIsToldAsOneThatDidNotTravel() {
        Interrupted back = travel(new Interrupted(3), Interrupted.class);
        assertThat(back.bytesTransferred).isZero();
        assertThat(back.getSuppressed())
                .extracting(Throwable::getMessage)
                .singleElement()
                .asString()
                .startsWith(
                        "fields of " + Interrupted.class.getName()
                                + " that did not travel with it: InterruptedIOException.bytesTransferred (a closed field of the JDK).");
    }

    @Test
    void textsOfTheJdkAreMaskedAsTheirMessagesAre() {
        URISyntaxException thrown = new URISyntaxException("http://x/?token=abc123 ", "blank", 20);
        Failure failure = codec.encode(thrown, List.of(URISyntaxException.class));
        assertThat(codec.toJson(failure).json()).doesNotContain("abc123");
        assertThat(codec.decode(
                        failure, List.of(URISyntaxException.class), getClass().getClassLoader()))
                .hasMessage(failure.message());
    }

    @Test
    void whatAnOlderReleaseRecordedIsReadWithoutTheState() {
        Failure old = new Failure("java.sql.SQLException", "no", "", new Payload("{}"), null, List.of());
        SQLException back = (SQLException)
                codec.decode(old, List.of(SQLException.class), getClass().getClassLoader());
        assertThat(back.getMessage()).isEqualTo("no");
        assertThat(back.getSQLState()).isNull();
    }

    static class Lying extends SQLException {
        @Override
        public String getSQLState() {
            throw new IllegalStateException("closed");
        }
    }

    @Test
    void aGetterThatThrowsIsToldAndLosesNothingElse() {
        Lying thrown = new Lying();
        Lying back = travel(thrown, SQLException.class);
        assertThat(back.getSuppressed()[0]).hasMessageContaining("SQLException.SQLState (closed)");
    }
}
