package dev.durable.internal.replay;

import dev.durable.RetryPolicy;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityCancelRequested;
import dev.durable.history.ActivityCancelled;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.CallbackCancelled;
import dev.durable.history.CallbackCompleted;
import dev.durable.history.CallbackExtended;
import dev.durable.history.CallbackFailed;
import dev.durable.history.CallbackOpened;
import dev.durable.history.CallbackTimedOut;
import dev.durable.history.ChildCancelled;
import dev.durable.history.ChildCompleted;
import dev.durable.history.ChildFailed;
import dev.durable.history.ChildStartFailed;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.ChildStartWatched;
import dev.durable.history.ChildStarted;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.Payload;
import dev.durable.history.RunAttempt;
import dev.durable.history.SignalReceived;
import dev.durable.history.TimeoutType;
import dev.durable.history.TimerFired;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.history.WorkflowFailed;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.declare.Registry;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.intercept.Propagation;
import dev.durable.internal.replay.call.TimerDue;
import dev.durable.internal.replay.match.RecordedTurn;
import dev.durable.internal.replay.match.ReplaySetup;
import dev.durable.internal.replay.match.Turn;
import dev.durable.store.ChildOutcome;
import dev.durable.store.RunKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The world around one run, as a seed has it: outcomes, failures, signals, time that passes, a cancellation; commits that
 * are lost, processes that die. What it did stands in the turns.
 */
public final class RandomWorld {
    public static final Registry REGISTRY =
            Registry.builder().register(ProgramWorkflow.class).build();
    public static final WorkflowType TYPE = REGISTRY.workflowOf(ProgramWorkflow.class);

    private final long seed;
    private final Random random;
    private final RunKey key;
    private final Function<RunKey, WorkflowInstance> instances;
    private final List<RecordedTurn> turns = new ArrayList<>();
    private final List<State> states = new ArrayList<>();
    private WorkflowInstance instance;
    private Instant now = GivenRun.START;
    private int lost;
    private HistoryEvent.Closing close;

    /** The state of an instance that can be seen from outside. */
    record State(List<String> seen, String close, Instant nextTimer, List<String> waits) {
        static State of(WorkflowInstance instance) {
            return new State(
                    List.of(instance.query("seen", Payload.NO_ARGUMENTS).json()),
                    GivenRun.text(instance.close(1)),
                    instance.nextTimer(),
                    instance.waits().stream()
                            .map(wait -> wait.coroutine() + " " + wait.what() + wait.since())
                            .toList());
        }
    }

    public RandomWorld(long seed, Function<RunKey, WorkflowInstance> instances) {
        this.seed = seed;
        this.random = new Random(~seed);
        this.key = new RunKey(new UUID(seed, 0x7000), "run-" + seed);
        this.instances = instances;
    }

    /** Instances as they are. */
    public static WorkflowInstance sound(RunKey key, boolean strict) {
        return new WorkflowInstance(TYPE, key, setup(strict));
    }

    public static ReplaySetup setup(boolean strict) {
        return new ReplaySetup(
                GivenRun.CODEC,
                GivenRun.FAILURES,
                REGISTRY,
                strict,
                false,
                Duration.ofSeconds(20),
                Set.of(),
                Propagation.NONE,
                UUID::randomUUID);
    }

    /** Lets the run live until it closes, or for so many turns. */
    public RandomWorld live(int maxTurns) {
        instance = instances.apply(key);
        try {
            feed(new WorkflowStarted(
                            1,
                            now,
                            key.workflowId(),
                            key.runId(),
                            TYPE.name(),
                            "q",
                            argument(seed),
                            0,
                            null,
                            Map.of(),
                            false,
                            null,
                            null)
                    .withAttempt(attempt()));
            while (turns.size() < maxTurns && !closed()) {
                step();
            }
        } finally {
            instance.evict();
        }
        return this;
    }

    /** Returns the place among the attempts of a program that is run again when it fails. */
    private @Nullable RunAttempt attempt() {
        return seed % 5 == 1 ? new RunAttempt(1, RetryPolicy.DEFAULT, null) : null;
    }

    private boolean closed() {
        HistoryEvent.Closing pending = instance.close(nextId());
        if (pending == null || (!instance.leavesToNext() && random.nextInt(4) == 0)) {
            return false;
        }
        close = pending;
        return true;
    }

    private void step() {
        HistoryEvent.Inbound event = next();
        if (!instance.accepts(event)) {
            return;
        }
        switch (random.nextInt(10)) {
            case 0 -> {
                // fed, and its commit is lost
                instance.feed(event);
                lost++;
                rebuild();
            }
            case 1 -> {
                rebuild();
                feed(event);
            }
            default -> feed(event);
        }
    }

    private void feed(HistoryEvent.Inbound event) {
        Turn turn = instance.feed(event);
        turns.add(new RecordedTurn(event, turn.commands()));
        states.add(State.of(instance));
    }

    private void rebuild() {
        instance.evict();
        instance = instances.apply(key);
        turns.forEach(turn -> instance.replay(turn.event(), turn.commands()));
        if (!State.of(instance).equals(states.getLast())) {
            throw new AssertionError("rebuilt from " + turns.size() + " turns it is in another state:\n "
                    + State.of(instance) + "\nand not\n " + states.getLast());
        }
    }

    private HistoryEvent.Inbound next() {
        now = now.plusSeconds(random.nextInt(300));
        List<TimerDue> due = instance.dueTimers(now);
        if (!due.isEmpty()) {
            return new TimerFired(nextId(), now, due.getFirst().seq());
        }
        int seq = openActivity();
        int choice = random.nextInt(20);
        if (choice < 11 && seq > 0) {
            return outcome(seq);
        }
        if (choice < 13 && instance.nextTimer() != null) {
            now = instance.nextTimer().isAfter(now) ? instance.nextTimer() : now;
            return new TimerFired(
                    nextId(), now, instance.dueTimers(now).getFirst().seq());
        }
        HistoryEvent.Inbound ofChild = choice < 15 ? ofChild() : null;
        HistoryEvent.Inbound other = ofChild == null && choice < 17 ? ofCallback() : ofChild;
        if (other != null) {
            return other;
        }
        return choice == 19 && random.nextInt(4) == 0
                ? new WorkflowCancelRequested(nextId(), now, id(), "enough", "ann", random.nextBoolean())
                : message(argument(random.nextInt(8)), random.nextInt(3) == 0);
    }

    private HistoryEvent.Inbound message(Payload argument, boolean withNext) {
        UUID id = id();
        return random.nextInt(4) == 0
                ? new UpdateAccepted(nextId(), now, id, id.toString(), "ask", argument, withNext, null)
                : new SignalReceived(nextId(), now, id, "poke", argument, withNext);
    }

    private HistoryEvent.Inbound outcome(int seq) {
        return switch (random.nextInt(8)) {
            case 0 ->
                new ActivityFailed(nextId(), now, seq, 1, id(), Failure.of("java.io.IOException", "no luck"), "w");
            case 1 -> new ActivityTimedOut(nextId(), now, seq, 1, id(), TimeoutType.HEARTBEAT, null);
            case 2 -> new ActivityCancelled(nextId(), now, seq, 1, id(), null);
            default -> new ActivityCompleted(nextId(), now, seq, 1, id(), new Payload("\"r" + seq + "\""), now, "w");
        };
    }

    /** News of a child that was started and has not ended, now and then of one that has; null without any. */
    private HistoryEvent.OfChild ofChild() {
        List<ChildStartRequested> open = new ArrayList<>();
        Set<Long> watched = new TreeSet<>();
        for (RecordedTurn turn : turns) {
            if (turn.event() instanceof HistoryEvent.ChildClosed closed && random.nextInt(8) > 0) {
                open.removeIf(child -> child.number() == closed.number());
            } else if (turn.event() instanceof ChildStarted started) {
                watched.remove(started.number());
            }
            for (HistoryEvent.Command command : turn.commands()) {
                if (command instanceof ChildStartRequested started) {
                    open.add(started);
                } else if (command instanceof ChildStartWatched watch) {
                    watched.add(watch.number());
                }
            }
        }
        return open.isEmpty() ? null : ofChild(open.get(random.nextInt(open.size())), watched);
    }

    private HistoryEvent.OfChild ofChild(ChildStartRequested child, Set<Long> watched) {
        long number = child.number();
        UUID chain = random.nextInt(10) == 0 ? id() : child.runId();
        if (watched.contains(number)) {
            UUID id = ChildOutcome.started(chain, number).messageId();
            return new ChildStarted(nextId(), now, number, id);
        }
        return switch (random.nextInt(6)) {
            case 0 ->
                new ChildFailed(
                        nextId(), now, number, chain, WorkflowStatus.FAILED, Failure.of("java.io.IOException", "c"));
            case 1 -> new ChildCancelled(nextId(), now, number, chain, Failure.of("x", "cancelled by ann"));
            case 2 -> new ChildStartFailed(nextId(), now, number, chain, "its id is in use");
            default -> new ChildCompleted(nextId(), now, number, chain, new Payload("\"k" + number + "\""));
        };
    }

    /** News of a callback that is open, now and then of one that is not; null without any. */
    private HistoryEvent.@Nullable OfCallback ofCallback() {
        List<UUID> open = new ArrayList<>();
        for (RecordedTurn turn : turns) {
            if (turn.event() instanceof HistoryEvent.CallbackEnded ended && random.nextInt(8) > 0) {
                open.remove(ended.callback());
            }
            for (HistoryEvent.Command command : turn.commands()) {
                if (command instanceof CallbackOpened opened) {
                    open.add(opened.callback());
                } else if (command instanceof CallbackCancelled cancelled) {
                    open.remove(cancelled.callback());
                }
            }
        }
        return open.isEmpty() ? null : ofCallback(open.get(random.nextInt(open.size())));
    }

    /** The run takes in a timeout only when the timer of the callback has fired. */
    private HistoryEvent.OfCallback ofCallback(UUID callback) {
        HistoryEvent.OfCallback timeout = new CallbackTimedOut(nextId(), now, callback);
        if (instance.accepts(timeout) && random.nextInt(3) > 0) {
            return timeout;
        }
        return switch (random.nextInt(6)) {
            case 0 ->
                new CallbackFailed(nextId(), now, callback, Failure.of("java.io.IOException", "a stranger's failure"));
            case 1, 2 ->
                new CallbackExtended(nextId(), now, id(), callback, Duration.ofMinutes(random.nextInt(20) + 1L));
            default -> new CallbackCompleted(nextId(), now, callback, new Payload("\"called back\""));
        };
    }

    /** One of those scheduled without an outcome; 0 without any. */
    private int openActivity() {
        SortedSet<Integer> open = new TreeSet<>();
        for (RecordedTurn turn : turns) {
            switch (turn.event()) {
                case ActivityCompleted e -> open.remove(e.seq());
                case ActivityFailed e -> open.remove(e.seq());
                case ActivityTimedOut e -> open.remove(e.seq());
                case ActivityCancelled e -> open.remove(e.seq());
                default -> {}
            }
            for (HistoryEvent.Command command : turn.commands()) {
                if (command instanceof ActivityScheduled scheduled) {
                    open.add(scheduled.seq());
                } else if (command instanceof ActivityCancelRequested request && !open.contains(request.seq())) {
                    throw new AssertionError("cancels what is not open: " + request);
                }
            }
        }
        return open.isEmpty() ? 0 : List.copyOf(open).get(random.nextInt(open.size()));
    }

    private long nextId() {
        return turns.stream().mapToLong(turn -> 1L + turn.commands().size()).sum() + 1;
    }

    private UUID id() {
        return new UUID(random.nextLong(), random.nextLong());
    }

    private static Payload argument(long value) {
        return new Payload("[" + value + "]");
    }

    RunKey key() {
        return key;
    }

    List<RecordedTurn> turns() {
        return turns;
    }

    State stateAfter(int turn) {
        return states.get(turn);
    }

    /** The types of its events, and which phases of the end it was seen in. */
    Set<String> kinds() {
        Set<String> kinds = new TreeSet<>();
        turns.forEach(turn -> kinds.add(turn.event().type()));
        turns.forEach(turn -> {
            if (turn.event() instanceof SignalReceived signal && signal.withNext()) {
                kinds.add("signal fed with the next event");
            } else if (turn.event() instanceof WorkflowCancelRequested cancel && cancel.withNext()) {
                kinds.add("cancellation fed with the next event");
            }
        });
        turns.forEach(turn -> turn.commands().forEach(command -> kinds.add(command.type())));
        for (State state : states) {
            state.waits().stream().filter(wait -> wait.startsWith("undo")).forEach(wait -> kinds.add("undo"));
            state.waits().stream().filter(wait -> wait.contains("clean-up")).forEach(wait -> kinds.add("clean-up"));
            state.waits().stream().filter(wait -> wait.startsWith("close")).forEach(wait -> kinds.add("close waits"));
            state.waits().stream()
                    .filter(wait -> wait.contains("the outcome of cancelled activity") && !wait.startsWith("undo"))
                    .forEach(wait -> kinds.add("waits for a cancelled activity"));
            state.waits().stream()
                    .filter(wait -> wait.contains("the outcome of abandoned activity"))
                    .forEach(wait -> kinds.add("waits for an abandoned activity"));
        }
        if (close != null) {
            kinds.add(close.type());
        }
        if (close instanceof WorkflowFailed failed && failed.nextRunId() != null) {
            kinds.add("another attempt follows");
        }
        return kinds;
    }

    int lost() {
        return lost;
    }

    HistoryEvent.Closing close() {
        return close;
    }
}
