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
            "NotifyChannel.Name",
            "NudgeMessage",
            "Reach.Trouble",
            "Rendering",
            "Rendering.Part",
            "ReplicaViews.Store",
            "ReplicaViews.Which",
            "SchemaName",
            "SqlScript.Statement");

    @Test
    void no_record_shows_a_payload_or_a_token() throws Exception {
        assertThat(RecordTexts.leaks(
                        PostgresHistoryStore.class, List.of("dev.durable.store.postgres"), NAMES_OF_THE_DATABASE))
                .isEmpty();
    }

    /** The start in an outbox is JSON whose properties are for ever, and it stays as flat as it was written first. */
    @Test
    void no_record_has_more_than_ten_components_but_the_start_in_an_outbox() throws Exception {
        assertThat(RecordTexts.wide(PostgresHistoryStore.class, List.of("dev.durable.store.postgres")))
                .containsExactly("DeferredStart");
    }
}
