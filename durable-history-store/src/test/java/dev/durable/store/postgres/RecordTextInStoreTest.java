package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.logs.RecordTexts;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Rows of the store stand in logs and errors, too. */
class RecordTextInStoreTest {
    /** Their text is SQL, names of roles and channels, or values by which the server identifies itself. */
    private static final Set<String> NAMES_OF_THE_DATABASE = Set.of(
            "Connections.Trouble",
            "StoreErrors",
            "Grants.Right",
            "Guard.Told",
            "Migration.Found",
            "Migrations",
            "MigrationStep",
            "NudgeListener.Station",
            "NudgeMessage",
            "Reach.Trouble",
            "Rendering",
            "Rendering.Part",
            "SchemaName",
            "SqlScript.Statement");

    @Test
    void no_record_shows_a_payload_or_a_token() throws Exception {
        assertThat(RecordTexts.leaks(
                        PostgresHistoryStore.class, List.of("dev.durable.store.postgres"), NAMES_OF_THE_DATABASE))
                .isEmpty();
    }
}
