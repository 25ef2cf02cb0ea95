package dev.durable.internal.client;

import dev.durable.client.Installation;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.FailureJson;
import dev.durable.history.WorkflowTerminated;
import dev.durable.internal.text.Bounds;
import dev.durable.store.Adoption;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunKey;
import dev.durable.store.Seizure;
import java.time.Instant;
import java.util.UUID;

/** Implements {@link Installation}: adopts a store and says how the runs that are open there end. */
public final class StoreInstallation implements Installation {
    private final HistoryStore store;
    private final String actor;

    private StoreInstallation(HistoryStore store, String actor) {
        this.store = store;
        this.actor = actor;
    }

    /** Returns the installation whose runs this store has. */
    public static StoreInstallation of(HistoryStore store) {
        return new StoreInstallation(store, System.getProperty("user.name", "unknown"));
    }

    @Override
    public Installation by(String who) {
        return new StoreInstallation(store, Bounds.actor(who));
    }

    @Override
    public long adopt(String name, OpenWork open) {
        Adoption adoption = new Adoption(name, open, actor, run -> end(run, name));
        store.open();
        return store.adopt(adoption);
    }

    private Seizure end(RunKey run, String name) {
        String reason = "the database that it was open in was adopted as installation " + name;
        return new Seizure(
                run.workflowId(),
                run.runId(),
                false,
                UUID.randomUUID(),
                WorkflowStatus.TERMINATED,
                "WorkflowTerminated",
                dropped -> EventJson.attributes(new WorkflowTerminated(1, Instant.EPOCH, reason, actor, dropped)),
                FailureJson.encode(Failure.of("dev.durable.Terminated", reason)).json());
    }
}
