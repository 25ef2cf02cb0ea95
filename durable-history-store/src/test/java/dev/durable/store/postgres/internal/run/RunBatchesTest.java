package dev.durable.store.postgres.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunBatchesTest {
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({
        "57014, canceling statement due to statement timeout, true",
        "57014, canceling statement due to user request, false",
        "P0001, refused by a trigger, true",
        "23514, violates a check, true",
        "23505, violates a unique index, true",
        "42501, permission denied, false",
        "42P01, relation does not exist, false",
        "55P03, lock not available, false",
        "40P01, deadlock, false",
        "08006, connection lost, false",
        "57P01, terminating connection, false",
        "53100, disk full, false",
        "25006, read-only, false"
    })
    void a_time_limit_or_a_refused_row_may_be_one_runs_fault_and_an_outage_is_not(
            String state, String message, boolean mayBeOneRuns) {
        assertThat(RunBatches.mayBeOneRuns(new SQLException("ERROR: " + message, state)))
                .isEqualTo(mayBeOneRuns);
    }
}
