package dev.durable.store.postgres.internal.transaction;

import dev.durable.ConflictPolicy;
import dev.durable.ReusePolicy;
import dev.durable.store.InboxMessage;
import dev.durable.store.NewRun;
import dev.durable.store.RecordText;
import dev.durable.store.RunKey;
import dev.durable.store.StoredEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The start of a run that an outbox message carries in case no run is open when it is delivered, as JSON. The names of
 * its properties never change, as another release may read them.
 *
 * @param attributes the attributes of its WorkflowStarted
 * @param startedAt when the caller asked for it
 */
record DeferredStart(
        UUID runId,
        String type,
        List<String> formerTypes,
        String taskQueue,
        int needs,
        UUID fence,
        Instant startedAt,
        String attributes,
        Duration startDelay,
        ReusePolicy reusePolicy,
        @Nullable Instant deadline,
        @Nullable Instant expiresAt,
        Map<String, String> memo) {
    /** Escapes all characters beyond ASCII, so that NUL and unpaired surrogates come back as they were. */
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    static String write(NewRun start) {
        StoredEvent started = start.events().getFirst();
        return JSON.writeValueAsString(new DeferredStart(
                start.run().runId(),
                start.type(),
                start.formerTypes(),
                start.taskQueue(),
                start.needs(),
                start.fence(),
                started.at(),
                started.attributes(),
                start.startDelay(),
                start.reusePolicy(),
                start.deadline(),
                start.expiresAt(),
                start.memo()));
    }

    static DeferredStart read(String json) {
        return JSON.readValue(json, DeferredStart.class);
    }

    NewRun of(String workflowId, InboxMessage message) {
        return new NewRun(
                new RunKey(runId, workflowId),
                type,
                formerTypes,
                taskQueue,
                needs,
                fence,
                List.of(new StoredEvent(1, "WorkflowStarted", startedAt, null, attributes)),
                List.of(),
                null,
                startDelay,
                false,
                reusePolicy,
                ConflictPolicy.USE_EXISTING,
                deadline,
                expiresAt,
                memo,
                message);
    }

    @Override
    public String toString() {
        return RecordText.of(this);
    }
}
