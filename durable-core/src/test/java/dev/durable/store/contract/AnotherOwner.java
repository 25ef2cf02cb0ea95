package dev.durable.store.contract;

import dev.durable.history.EventJson;
import dev.durable.history.WorkflowPaused;
import dev.durable.history.WorkflowResumed;
import dev.durable.store.ClaimedRun;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunClaim;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;

/** A worker that takes over what others have claimed, as one does that has declared them dead. */
public final class AnotherOwner {
    private AnotherOwner() {}

    /** Claims the due runs of this type from whoever has them, appends two events to each, and gives them back, due at once. */
    public static void takesOver(HistoryStore store, String taskQueue, String type) {
        store.sessions().forEach(session -> store.closeSession(session.session()));
        UUID own = UUID.randomUUID();
        store.openSession(own, "another", Duration.ofMinutes(10));
        RunClaim claim = new RunClaim(own, Set.of(taskQueue), Set.of(type), 100, Duration.ofMinutes(10));
        for (ClaimedRun run : store.claimRuns(claim).runs()) {
            Writer writer = new Writer(store, run.run(), run.fence(), run.nextEventId());
            writer.write(writer.step()
                    .event("WorkflowPaused", EventJson.attributes(new WorkflowPaused(0, store.now(), "", "")))
                    .event("WorkflowResumed", EventJson.attributes(new WorkflowResumed(0, store.now(), "")))
                    .wakesAt(store.now()));
        }
        store.closeSession(own);
    }
}
