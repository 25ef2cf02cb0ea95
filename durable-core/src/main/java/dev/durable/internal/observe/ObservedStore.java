package dev.durable.internal.observe;

import dev.durable.observe.BatchWrite;
import dev.durable.observe.BatchWrite.Lane;
import dev.durable.observe.ClaimAnswer;
import dev.durable.observe.EngineObserver;
import dev.durable.observe.EngineObserver.Stale;
import dev.durable.observe.WorkflowClose;
import dev.durable.observe.WorkflowStart;
import dev.durable.store.CallbackState;
import dev.durable.store.CallbackToken;
import dev.durable.store.ClaimedRuns;
import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobClaim;
import dev.durable.store.JobUpdate;
import dev.durable.store.Joined;
import dev.durable.store.NewRun;
import dev.durable.store.QueueStore;
import dev.durable.store.Relayed;
import dev.durable.store.RunClaim;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import dev.durable.store.RunReset;
import dev.durable.store.Seizure;
import dev.durable.store.StartOutcome;
import dev.durable.store.StoreClock;
import dev.durable.store.TransactionalActivities;
import dev.durable.store.Writes;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A store around the engine's store that reports calls and answers to an observer: starts, batches, claims, sessions,
 * the relay. Only an engine with observers has it.
 *
 * <p>It is a proxy, because all other methods of the interface, whose defaults stores override, must go to the store
 * unchanged. Each call is a transaction, compared to which a reflective call costs nothing.
 */
public final class ObservedStore implements InvocationHandler {
    private final Object store;
    private final StoreClock clock;
    private final EngineObserver observer;

    private ObservedStore(Object store, StoreClock clock, EngineObserver observer) {
        this.store = store;
        this.clock = clock;
        this.observer = observer;
    }

    /** Returns the store, observed; the store itself where there is no observer. */
    public static HistoryStore around(HistoryStore store, EngineObserver observer) {
        return observer.equals(EngineObserver.NONE)
                ? store
                : proxy(HistoryStore.class, new ObservedStore(store, store.clock(), observer));
    }

    private static <T> T proxy(Class<T> type, ObservedStore handler) {
        return type.cast(Proxy.newProxyInstance(ObservedStore.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        Object argument = arguments == null || arguments.length == 0 ? null : arguments[0];
        return switch (method.getName()) {
            case "start" -> written(Lane.STARTS, method, arguments);
            case "deliver" -> written(Lane.MESSAGES, method, arguments);
            case "update" -> written(Lane.JOBS, method, arguments);
            case "commit" -> written(Lane.TRANSITIONS, method, arguments);
            case "claimRuns", "claimJobs", "claimLimitedJobs" -> claimed(method, arguments);
            default -> {
                Object answer = call(method, arguments);
                yield answer == null ? null : told(method.getName(), argument, answer);
            }
        };
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(store, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private Object told(String name, @Nullable Object argument, Object answer) {
        switch (name) {
            case "patient" -> {
                return proxy(Writes.class, new ObservedStore(answer, clock, observer));
            }
            case "transactional" -> {
                return ((Optional<?>) answer).map(all -> new ObservedActivities((TransactionalActivities) all));
            }
            case "joined" -> {
                return answer instanceof Optional<?> open
                        ? open.map(joined -> new ObservedTransaction((Joined) joined))
                        : new ObservedTransaction((Joined) answer);
            }
            case "markDead" -> {
                if (answer.equals(true) && argument instanceof UUID session) {
                    observer.sessionDeclaredDead(session);
                }
            }
            case "requeueOrphans" -> {
                if ((int) answer > 0) {
                    observer.crashedJobsRequeued((int) answer);
                }
            }
            case "timeOutWaiting" -> {
                if ((int) answer > 0) {
                    observer.waitingJobsTimedOut((int) answer);
                }
            }
            case "relay" -> {
                Relayed relayed = (Relayed) answer;
                if (relayed.gone() > 0) {
                    observer.outboxRelayed(relayed.delivered(), relayed.refused());
                }
            }
            case "fork" -> {
                if (argument instanceof NewRun fork) {
                    ((Optional<?>) answer).ifPresent(outcome -> started(fork, (StartOutcome) outcome, null));
                }
            }
            case "reset" -> {
                if (answer == RunReset.Outcome.DONE && argument instanceof RunReset reset) {
                    started(reset.fork(), new StartOutcome.Started(false), null);
                }
            }
            case "seize" -> {
                if (answer instanceof Optional<?> closed
                        && closed.isPresent()
                        && closed.get() instanceof RunKey run
                        && argument instanceof Seizure seizure) {
                    seized(run, seizure);
                }
            }
            default -> {}
        }
        return answer;
    }

    // ── batches ──────────────────────────────────────────────────────────────────────────────────────────────────────

    private @Nullable Object written(Lane lane, Method method, Object @Nullable [] arguments) throws Throwable {
        List<?> batch = arguments == null ? List.of() : (List<?>) arguments[0];
        int size = batch.size();
        long begun = clock.nanoTime();
        boolean failed = true;
        Object answer;
        try {
            answer = call(method, arguments);
            failed = false;
        } finally {
            observer.batchWritten(new BatchWrite(lane, size, since(begun), failed));
        }
        if (answer instanceof List<?> outcomes) {
            switch (lane) {
                case STARTS -> {
                    for (int i = 0; i < size; i++) {
                        started((NewRun) batch.get(i), (StartOutcome) outcomes.get(i), null);
                    }
                }
                case JOBS -> updated(batch, outcomes);
                case MESSAGES, TRANSITIONS -> {}
            }
        }
        return answer;
    }

    private void started(NewRun run, StartOutcome outcome, WorkflowStart.@Nullable How joined) {
        WorkflowStart.Outcome what =
                switch (outcome) {
                    case StartOutcome.Started ignored -> WorkflowStart.Outcome.STARTED;
                    case StartOutcome.AlreadyOpen ignored -> WorkflowStart.Outcome.ALREADY_OPEN;
                    case StartOutcome.Refused ignored -> WorkflowStart.Outcome.REFUSED;
                    // Nothing to report, as it is sent again.
                    case StartOutcome.Locked ignored -> null;
                };
        if (what != null) {
            WorkflowStart.How own = run.firstTurn().done() ? WorkflowStart.How.EAGER : WorkflowStart.How.DIRECT;
            observer.workflowStarted(new WorkflowStart(
                    run.type(), run.run().workflowId(), run.run().runId(), joined == null ? own : joined, what));
        }
    }

    private void updated(List<?> updates, List<?> outcomes) {
        int heartbeats = 0;
        for (int i = 0; i < updates.size(); i++) {
            JobUpdate said = ((JobUpdate) updates.get(i)).said();
            boolean heartbeat = said instanceof JobUpdate.Heartbeat;
            switch ((JobUpdate.Outcome) outcomes.get(i)) {
                case STALE -> observer.staleRefused(heartbeat ? Stale.HEARTBEAT : Stale.ATTEMPT);
                case ACCEPTED, CANCEL_REQUESTED, DUPLICATE -> heartbeats += heartbeat ? 1 : 0;
                case FULL, LOCKED -> {}
            }
        }
        if (heartbeats > 0) {
            observer.heartbeatsWritten(heartbeats);
        }
    }

    // ── claims ───────────────────────────────────────────────────────────────────────────────────────────────────────

    private @Nullable Object claimed(Method method, Object @Nullable [] arguments) throws Throwable {
        long begun = clock.nanoTime();
        Object answer = call(method, arguments);
        Object wanted = arguments == null ? null : arguments[0];
        Duration took = since(begun);
        if (wanted instanceof RunClaim claim && answer instanceof ClaimedRuns runs) {
            observer.claimAnswered(new ClaimAnswer(
                    ClaimAnswer.What.RUNS, null, claim.limit(), runs.runs().size(), took));
        } else if (wanted instanceof JobClaim claim) {
            int found = answer instanceof QueueStore.LimitedClaim limited
                    ? limited.jobs().size()
                    : answer instanceof List<?> jobs ? jobs.size() : 0;
            observer.claimAnswered(
                    new ClaimAnswer(ClaimAnswer.What.JOBS, claim.taskQueue(), claim.limit(), found, took));
        }
        return answer;
    }

    // ── runs that are closed from outside ────────────────────────────────────────────────────────────────────────────

    /**
     * Reports a run that was terminated or timed out. Its type is not known to the code that ends it, so it is read:
     * that is rare, and only the observer needs it.
     */
    private void seized(RunKey run, Seizure seizure) {
        String type = "";
        try {
            type = ((HistoryStore) store).run(run.runId()).map(RunRecord::type).orElse("");
        } catch (RuntimeException e) {
            // The run is closed all the same.
        }
        Duration open = Duration.between(RunIds.time(run.runId()), clock.now());
        observer.workflowClosed(new WorkflowClose(
                type,
                run.workflowId(),
                run.runId(),
                seizure.status(),
                false,
                open.isNegative() ? Duration.ZERO : open));
    }

    private Duration since(long begun) {
        return Duration.ofNanos(clock.nanoTime() - begun);
    }

    /** Transactional activities, whose outcome may be refused in their own transaction rather than in a batch. */
    private final class ObservedActivities implements TransactionalActivities {
        private final TransactionalActivities activities;

        ObservedActivities(TransactionalActivities activities) {
            this.activities = activities;
        }

        @Override
        public int atOnce() {
            return activities.atOnce();
        }

        @Override
        public Outcome run(Duration left, Body body) {
            Outcome outcome = activities.run(left, body);
            if (outcome == Outcome.STALE) {
                observer.staleRefused(Stale.ATTEMPT);
            }
            return outcome;
        }
    }

    /** Starts runs in a caller's transaction, observed. */
    private final class ObservedTransaction implements Joined {
        private final Joined joined;

        ObservedTransaction(Joined joined) {
            this.joined = joined;
        }

        @Override
        public StartOutcome start(NewRun run) {
            StartOutcome outcome = joined.start(run);
            started(run, outcome, WorkflowStart.How.JOINED);
            return outcome;
        }

        @Override
        public void deliver(Delivery delivery) {
            joined.deliver(delivery);
        }

        @Override
        public Optional<CallbackState> callback(CallbackToken token, long readTo) {
            return joined.callback(token, readTo);
        }
    }
}
