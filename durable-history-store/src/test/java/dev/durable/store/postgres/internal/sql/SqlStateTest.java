package dev.durable.store.postgres.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Tests the classification of the server's errors. */
class SqlStateTest {

    @ParameterizedTest
    @CsvSource({
        "08006, UNAVAILABLE",
        "57P01, UNAVAILABLE",
        "57P03, REFUSED",
        "53100, REFUSED",
        "53200, REFUSED",
        "53300, REFUSED",
        "58030, REFUSED",
        "25006, REFUSED",
        "57P04, UNAVAILABLE",
        "25P03, UNAVAILABLE",
        "25P04, UNAVAILABLE",
        "25P02, OTHER",
        "0A000, OTHER",
        "57014, OTHER",
        "22021, OTHER",
        "55P03, LOCKED",
        "40P01, AGAIN",
        "DU001, UNEXPECTED"
    })
    void a_full_disk_is_waited_for_and_what_one_item_may_have_caused_is_not(String code, SqlState meaning) {
        assertThat(SqlState.of(new SQLException("as the test wants it", code))).isEqualTo(meaning);
    }

    @Test
    void what_somebody_cancelled_is_waited_for_and_a_time_limit_is_not() {
        assertThat(SqlState.of(new SQLException("ERROR: canceling statement due to user request", "57014")))
                .isEqualTo(SqlState.REFUSED);
        assertThat(SqlState.of(new SQLException("ERROR: canceling statement due to statement timeout", "57014")))
                .isEqualTo(SqlState.OTHER);
    }

    @Test
    void what_was_cancelled_before_its_time_limit_was_cancelled_by_somebody_in_whatever_language() {
        PSQLException german = new PSQLException(
                new ServerErrorMessage("SFEHLER\0C57014\0Mstorniere Anfrage wegen Benutzeraufforderung\0\0"));
        Duration limit = Duration.ofSeconds(30);

        assertThat(SqlState.of(SqlState.judged(german, Duration.ofSeconds(2), limit)))
                .isEqualTo(SqlState.REFUSED);
        assertThat(SqlState.of(SqlState.judged(german, limit, limit))).isEqualTo(SqlState.OTHER);
    }
}
