package dev.durable.store.postgres.internal.transaction;

import dev.durable.ConflictPolicy;
import dev.durable.ReusePolicy;
import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
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
 * @param pinnedTo the build that alone begins it; null is any
 */
record DeferredStart(
        UUID runId,
        String type,
        List<String> formerTypes,
        String taskQueue,
        UUID fence,
        Instant startedAt,
        String attributes,
        Duration startDelay,
        ReusePolicy reusePolicy,
        @Nullable Instant deadline,
        @Nullable Instant expiresAt,
        Map<String, String> memo,
        @Nullable String pinnedTo) {
    /** Escapes all characters beyond ASCII, so that NUL and unpaired surrogates come back as they were. */
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    static String write(NewRun start) {
        StoredEvent started = start.firstTurn().events().getFirst();
        return JSON.writeValueAsString(new DeferredStart(
                start.run().runId(),
                start.type(),
                start.policies().formerTypes(),
                start.taskQueue(),
                start.fence(),
                started.at(),
                started.attributes(),
                start.firstTurn().delay(),
                start.policies().reuse(),
                start.deadlines().timesOutAt(),
                start.deadlines().expiresAt(),
                start.memo(),
                start.firstTurn().pinnedTo()));
    }

    static DeferredStart read(String json) {
        return JSON.readValue(json, DeferredStart.class);
    }

    NewRun of(String workflowId, InboxMessage message) {
        return new NewRun(
                new RunKey(runId, workflowId),
                type,
                taskQueue,
                fence,
                NewRun.FirstTurn.later(
                                List.of(new StoredEvent(1, "WorkflowStarted", startedAt, null, attributes)), startDelay)
                        .pinnedTo(pinnedTo),
                new NewRun.Policies(reusePolicy, ConflictPolicy.USE_EXISTING, formerTypes),
                new NewRun.Deadlines(deadline, expiresAt),
                memo,
                message,
                null);
    }

    @Override
    public String toString() {
        return "DeferredStart[" + runId + ", " + type + ", " + taskQueue + "]";
    }
}
