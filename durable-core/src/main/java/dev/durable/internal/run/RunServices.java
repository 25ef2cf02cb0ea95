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
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The services that every run in this process uses: the store, the lanes, the registered code, and the rest of the
 * worker.
 *
 * @param store the store of histories
 * @param lanes the lanes that write to it
 * @param code the registered workflows, with the settings of replay
 * @param outside the other parts of the worker that a run uses
 */
public record RunServices(HistoryStore store, Lanes lanes, Code code, Outside outside) {

    /**
     * The registered workflow code, with the settings of replay.
     *
     * @param registry the registered types
     * @param replay the settings of replay
     * @param headersJson writes headers as a JSON object
     * @param interception the interceptors around turns and replays
     * @param historyLimit the largest history of a run
     * @param build the name of the build that this code is; null where it names none
     */
    public record Code(
            Registry registry,
            ReplaySetup replay,
            Function<Map<String, String>, String> headersJson,
            Interception interception,
            HistoryLimit historyLimit,
            @Nullable String build) {}

    /** The parts of the worker that a run uses besides the store. */
    public interface Outside {
        /** Returns the slots for new activities. */
        EagerJobs eager();

        /** Reports a durable transition of the actor's run, with the end of the run where it closed. */
        void written(RunActor actor, Transition.@Nullable Close close);

        /** Reports the messages that a durable transition has consumed, and its answers to updates. */
        void answered(RunKey run, List<UUID> consumed, List<Reply> replies);

        /** Notes that a run is parked durably until this time. */
        void due(Instant at);

        /** Notes that the actor has read its claim. */
        void read(RunMail.Claimed claim);

        /** Adds to the bytes of runs that have a draft being written; negative subtracts. */
        void inFlight(long bytes);

        /** Adds to the bytes of runs that wait for local activities; negative subtracts. */
        void pinned(long bytes);

        /** Has the cache weigh the actor's run, whose instance may have grown. */
        void weigh(RunActor actor);

        /** Has an actor removed that holds nothing any more. */
        void unneeded(RunActor actor);

        /** Reports a run that has stalled, once that is durable. */
        void stalled(RunKey run, Transition.Stall stall);

        /** Returns the local activities of this process. */
        LocalCalls locals();

        /** Returns the telemetry that gets what runs do. */
        Telemetry telemetry();

        UUID random();
    }

    /** Creates an instance that has had no event yet. */
    public LiveRun newInstance(RunKey run, WorkflowType type, LocalCalls.Caller caller) {
        return newInstance(run, type, new RunLocals(outside.locals(), caller, outside::random));
    }

    /** Creates such an instance with the local activities of an instance before it. */
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
