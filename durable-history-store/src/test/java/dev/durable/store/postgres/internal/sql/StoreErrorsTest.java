package dev.durable.store.postgres.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.RolledBackException;
import dev.durable.StoreUnavailableException;
import dev.durable.store.StoreOutageException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;
import org.postgresql.util.ServerErrorMessage;

/** Tests the texts of the exceptions for errors of the database. */
class StoreErrorsTest {
    private final StoreErrors failures = new StoreErrors("jdbc:postgresql://db/orders");

    @Test
    void a_deadlock_says_that_it_is_one() {
        SQLException deadlock = new SQLException("ERROR: deadlock detected", "40P01");

        assertThat(failures.of(deadlock))
                .isInstanceOf(RolledBackException.class)
                .hasCause(deadlock)
                .hasMessage(
                        "a deadlock in the database at jdbc:postgresql://db/orders, which has rolled back this one to let"
                                + " the other go on (SQLSTATE 40P01): ERROR: deadlock detected. Nothing of it was written. It was"
                                + " tried again, and met the same each time. Usual cause: two transactions that lock the same rows,"
                                + " or start the same ids, in different orders. Let each do so in the same order.");
    }

    @Test
    void a_sentence_of_the_server_ends_with_one_full_stop() {
        assertThat(failures.of(new SQLException("FATAL: not yet accepting connections.", "08006")))
                .hasMessageContaining("accepting connections. Nothing acknowledged is lost.");
    }

    @Test
    void a_deadlock_in_the_callers_transaction_says_who_has_to_do_it_again() {
        assertThat(failures.ofCaller(new SQLException("ERROR: deadlock detected", "40P01")))
                .isInstanceOf(RolledBackException.class)
                .hasMessageContaining(
                        "The transaction that this call takes part in is lost as a whole: roll it back, and do"
                                + " it again from its beginning.");
    }

    @Test
    void a_serialization_failure_is_a_conflict_of_transactions() {
        assertThat(failures.of(new SQLException("ERROR: could not serialize access", "40001")))
                .isInstanceOf(RolledBackException.class)
                .hasMessageStartingWith("a conflict of transactions in the database at")
                .hasMessageEndingWith("Usual cause: an isolation level above read committed.");
    }

    @Test
    void a_full_disk_is_told_in_the_servers_own_words_and_is_never_in_doubt() {
        SQLException full = new SQLException("ERROR: could not extend file: No space left on device", "53100");

        assertThat(failures.of(full))
                .isInstanceOfSatisfying(StoreOutageException.class, e -> {
                    assertThat(e.isOneConnections()).isFalse();
                    assertThat(e.reason()).isEqualTo("SQLSTATE 53100");
                })
                .hasMessage("the database at jdbc:postgresql://db/orders refuses work, nothing was written (SQLSTATE"
                        + " 53100): ERROR: could not extend file: No space left on device. Nothing acknowledged is lost."
                        + " Usual cause: its disk is full. Make room. It is tried again until then.");
    }

    @Test
    void what_the_server_said_to_a_pool_without_connections_is_told_with_it() {
        SQLException server = new SQLException("FATAL: sorry, too many clients already", "53300");
        SQLException pool = new SQLTransientConnectionException(
                "pool - Connection is not available, request timed out after 500ms", "53300", server);

        assertThat(failures.unavailable(pool))
                .isInstanceOfSatisfying(
                        StoreOutageException.class, e -> assertThat(e.reason()).isEqualTo("SQLSTATE 53300"))
                .hasMessageContaining(
                        "can't be reached: pool - Connection is not available, request timed out after 500ms:"
                                + " FATAL: sorry, too many clients already. Nothing acknowledged is lost.");
    }

    @Test
    void a_database_that_is_away_can_not_be_reached() {
        SQLException away = new SQLException("connection refused", "08001");
        assertThat(failures.of(away))
                .isInstanceOf(StoreUnavailableException.class)
                .isNotInstanceOf(RolledBackException.class)
                .hasMessageContaining("can't be reached");
        assertThat(failures.ofCaller(away)).hasMessageContaining("can't be reached");
    }

    @Test
    void a_standby_is_called_one_with_the_way_out() {
        SQLException standby = new SQLException("ERROR: cannot execute INSERT in a read-only transaction", "25006");
        assertThat(failures.of(standby))
                .isInstanceOf(StoreUnavailableException.class)
                .hasCause(standby)
                .hasMessage(
                        "connected to a standby or read-only server: the database at jdbc:postgresql://db/orders refuses"
                                + " writes (ERROR: cannot execute INSERT in a read-only transaction). Nothing acknowledged is lost,"
                                + " and what is to be written waits. Usual cause: a failover whose old primary still answers, an"
                                + " address that leads to a replica, or default_transaction_read_only = on. Put"
                                + " targetServerType=primary, and all servers, into the JDBC URL so that new connections find the"
                                + " primary; where the server is frozen on purpose, work goes on when it is not.");
    }

    @Test
    void who_cancels_a_statement_is_named() {
        SQLException cancelled = new SQLException("ERROR: canceling statement due to user request", "57014");
        assertThat(failures.of(cancelled))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("a statement was cancelled in the database at jdbc:postgresql://db/orders (ERROR: canceling"
                        + " statement due to user request). Nothing of it was written. Usual cause:"
                        + " pg_cancel_backend, by hand or by a monitor of long statements.");
    }

    @Test
    void a_begin_that_is_refused_says_so() {
        SQLException refused = new SQLException("ERROR: not now", "0A000");
        assertThat(failures.notBegun(refused))
                .hasMessage(
                        "the database at jdbc:postgresql://db/orders refused to begin a transaction (SQLSTATE 0A000):"
                                + " ERROR: not now. Nothing was written, and it is tried again. Usual cause: a server that is being"
                                + " failed over or put into another mode, or a pooler in front of it: in"
                                + " transaction mode it needs PgBouncer 1.21 with max_prepared_statements, or"
                                + " prepareThreshold=0 in the JDBC URL.");
    }

    @Test
    void a_message_that_ends_with_a_full_stop_of_its_own_has_one_in_the_end() {
        for (String state : List.of("08006", "57014", "0A000", "53300", "57P01")) {
            SQLException stopped = new SQLException("An I/O error occurred while sending to the backend.", state);
            assertThat(failures.of(stopped).getMessage()).doesNotContain("..", ".)", ".:");
            assertThat(failures.notBegun(stopped).getMessage()).doesNotContain("..");
            assertThat(failures.lost(stopped).getMessage()).doesNotContain("..");
        }
    }

    @Test
    void values_of_parameters_that_the_server_shows_are_cut_out_of_every_error_and_who_blocked_whom_stays() {
        for (String state : List.of("40P01", "25006", "57014", "53100", "57P01", "08006", "23514", "0A000")) {
            PSQLException told = new PSQLException(new ServerErrorMessage("SERROR\0C" + state
                    + "\0Mso it is\0DProcess 1 waits for 2\0Wunnamed portal with parameters: $1 = 'm4rk3r'\0\0"));
            assertThat((Throwable) told).hasMessageContaining("m4rk3r");

            for (Throwable shown : List.of(
                    failures.of(told),
                    failures.ofCaller(told),
                    failures.lost(told),
                    failures.notBegun(told),
                    failures.commitUnknown(told),
                    failures.unclear(told),
                    failures.partitionMade(told),
                    StoreErrors.lostHint(told))) {
                assertThat(shown).hasStackTraceContaining("so it is");
                assertThat(whole(shown)).as(state).doesNotContain("m4rk3r");
            }
        }
        assertThat(failures.of(new PSQLException(
                        new ServerErrorMessage("SERROR\0C40P01\0Mdeadlock detected\0DProcess 1 waits for 2\0\0"))))
                .hasMessageContaining("Process 1 waits for 2");
    }

    /**
     * The messages of servers whose lc_messages is English, German, French, Russian or Japanese; the last is the
     * driver's own.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "22P02 | invalid input syntax for type integer: \"m4rk3r\"",
                "22P02 | ungültige Eingabesyntax für Typ integer: »m4rk3r«",
                "22P02 | ungültige Eingabesyntax für Typ integer: „m4rk3r“",
                "22P02 | syntaxe en entrée invalide pour le type integer : « m4rk3r »",
                "22P02 | неверный синтаксис для типа integer: \"m4rk3r\"",
                "22P02 | неверное значение для целого числа «m4rk3r»",
                "22P02 | \"integer\"型の入力構文が不正です: \"m4rk3r\"",
                "22007 | 「m4rk3r」は型dateに対して不正です",
                "22003 | value \"m4rk3r\" is out of range for type integer",
                "22008 | date/time field value out of range: m4rk3r",
                "22023 | invalid value for parameter m4rk3r",
                "2201X | m4rk3r must not be negative",
            })
    void words_that_quote_a_value_are_left_out_whatever_the_language(String state, String words) {
        PSQLException told =
                new PSQLException(new ServerErrorMessage("SERROR\0C" + state + "\0M" + words + "\0tinbox\0\0"));
        PSQLException driver = new PSQLException(words, PSQLState.NUMERIC_VALUE_OUT_OF_RANGE);
        BatchUpdateException batch = new BatchUpdateException("Batch entry 0 insert ('m4rk3r')", state, new int[0]);
        batch.setNextException(told);
        for (SQLException refused : List.of(told, driver, batch)) {
            for (Throwable shown :
                    List.of(failures.of(refused), failures.unclear(refused), StoreErrors.lostHint(refused))) {
                assertThat(whole(shown)).doesNotContain("m4rk3r").contains("as they may quote the value");
            }
        }
        assertThat(failures.of(told)).hasMessageContaining("(SQLSTATE " + state + ")");
    }

    @Test
    void words_that_quote_no_value_stay_whatever_the_language() {
        String words = "doppelter Schlüsselwert verletzt Unique-Constraint »workflow_run_pkey«";
        PSQLException told = new PSQLException(new ServerErrorMessage("SFEHLER\0VERROR\0C23505\0M" + words
                + "\0DSchlüssel »(workflow_id)=(m4rk3r)« existiert bereits.\0nworkflow_run_pkey\0\0"));
        assertThat(whole(failures.of(told))).contains(words).doesNotContain("m4rk3r");
        assertThat(failures.of(new PSQLException(new ServerErrorMessage("SERROR\0CP0001\0Mno: \"today\"\0\0"))))
                .as("a trigger's own words")
                .hasMessageContaining("no: \"today\"");
    }

    @Test
    void an_error_is_shortened_once_and_keeps_the_run_that_has_no_partition() {
        String key = "(run_id) = (0198c0de-0000-7000-8000-000000000000)";
        PSQLException told = new PSQLException(
                new ServerErrorMessage("SERROR\0C23514\0Mno partition of relation \"history_event\" found"
                        + " for row\0DPartition key of the failing row contains " + key + ".\0\0"));
        assertThat(((PSQLException) StoreErrors.withoutRow(StoreErrors.withoutRow(told)))
                        .getServerErrorMessage()
                        .getDetail())
                .isEqualTo(key);
        PSQLException row = new PSQLException(new ServerErrorMessage("SERROR\0C23514\0Mnew row for relation"
                + " \"history_event_2026_11\" violates partition constraint\0DFailing row contains (m4rk3r).\0\0"));
        assertThat(whole(failures.of(row))).doesNotContain("m4rk3r");
    }

    private static String whole(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
