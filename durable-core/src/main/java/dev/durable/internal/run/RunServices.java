package dev.durable.internal.run;

import dev.durable.internal.attempt.LocalCalls;
import dev.durable.internal.commit.Lanes;
import dev.durable.internal.declare.Registry;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.intercept.Interception;
import dev.durable.internal.observe.Telemetry;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.replay.WorkflowInstance;
import dev.durable.internal.replay.match.ReplaySetup;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The services that every run in this process uses: the store, the lanes, the registered code, and the rest of the
 * worker.
 *
 * @param store where histories live
 * @param lanes the lanes to it
 * @param code the registered workflows, and how they are replayed
 * @param outside what a run touches besides the store
 */
public record RunServices(HistoryStore store, Lanes lanes, Code code, Outside outside) {

    /**
     * Workflow code.
     *
     * @param registry the registered types
     * @param replay how they are replayed
     * @param headersJson headers as a JSON object
     * @param interception what turns and replays pass through
     */
    public record Code(
            Registry registry,
            ReplaySetup replay,
            Function<Map<String, String>, String> headersJson,
            Interception interception) {}

    /** The parts of the worker that a run uses besides the store. */
    public interface Outside {
        /** Slots for new activities. */
        EagerJobs eager();

        /** A transition of this actor's run is durable; with the end of the run where it closed. */
        void written(RunActor actor, Transition.@Nullable Close close);

        /** A run is parked, durably, until this time. */
        void due(Instant at);

        /** The actor has read that it has a claim. */
        void read(RunMail.Claimed claim);

        /** So many bytes more, or fewer, of runs have a draft that is being written. */
        void inFlight(long bytes);

        /** So many bytes more, or fewer, are held by runs that wait for local activities. */
        void pinned(long bytes);

        /** The instance of this actor's run may have grown. */
        void weigh(RunActor actor);

        /** The actor holds nothing any more and can be removed. */
        void unneeded(RunActor actor);

        /** A run has stalled. */
        void stalled(RunKey run, String why);

        /** Where local activities run. */
        LocalCalls locals();

        /** Who is told what runs do. */
        Telemetry telemetry();

        /** A random id. */
        UUID random();
    }

    /** An instance that has had no event yet. */
    public LiveRun newInstance(RunKey run, WorkflowType type, LocalCalls.Caller caller) {
        return newInstance(run, type, new RunLocals(outside.locals(), caller, outside::random));
    }

    /** The same, with the local activities of an instance before it. */
    public LiveRun newInstance(RunKey run, WorkflowType type, RunLocals locals) {
        return new LiveRun(
                run,
                new WorkflowInstance(type, run, code.replay()),
                store.clock(),
                locals,
                type.name().equals(BackgroundJob.TYPE)
                        ? null
                        : RunInterception.of(run, type.name(), code.interception()),
                (due, fired) -> outside.telemetry().timerFired(type.name(), due, fired));
    }

    WorkflowType workflow(String name) {
        return code.registry()
                .workflow(name)
                .orElseThrow(() -> new IllegalStateException("workflow type " + name + " is not registered here"));
    }

    UUID random() {
        return outside.random();
    }
}
