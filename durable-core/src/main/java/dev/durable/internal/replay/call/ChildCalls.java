package dev.durable.internal.replay.call;

import dev.durable.ChildHandle;
import dev.durable.ChildOptions;
import dev.durable.PayloadException;
import dev.durable.RegistrationException;
import dev.durable.RetryPolicy;
import dev.durable.UsageException;
import dev.durable.history.CarriedChild;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.ParentRun;
import dev.durable.history.Payload;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.declare.Recorded;
import dev.durable.internal.declare.WorkflowRetry;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.match.ReplaySetup;
import dev.durable.internal.text.Bounds;
import dev.durable.store.JobStart;
import dev.durable.store.RunIds;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Implements the starts of children by workflow code. Each is a command with a number that counts the children of the
 * run; the transition that records it also writes the order to start the child.
 */
final class ChildCalls {
    private static final String NO_JOB = " A background job can't be a child: call the activity through a stub, or by"
            + " Durable.async(…) where the code does not wait for it.";

    private final DurableCalls run;
    private final WaitCalls waiting;
    private final CurrentTurn journal;
    private final SentMessages sent;
    private final ReplaySetup setup;
    private long inputs;

    ChildCalls(DurableCalls run, WaitCalls waiting, CurrentTurn journal, SentMessages sent, ReplaySetup setup) {
        this.run = run;
        this.waiting = waiting;
        this.journal = journal;
        this.sent = sent;
        this.setup = setup;
    }

    /** Forgets the arguments of the turn before. */
    void beginTurn() {
        inputs = 0;
    }

    <W, R extends @Nullable Object> ChildHandle<W, R> start(
            Class<W> declared, ChildOptions options, Recorded recorded) {
        String call = "Durable.startChild(" + declared.getSimpleName() + ".class, …)";
        Coroutine by = waiting.mayCommand(call);
        WorkflowType type = type(call, declared);
        MethodSpec method = type.methods().run();
        ChildTarget target = target(call, type);
        Payload input = input(
                target,
                () -> setup.codec().encodeArguments(method, recorded.arguments()),
                () -> setup.codec().asRecorded().encodeArguments(method, recorded.arguments()));
        return new StartedChild<>(run, waiting, setup, type, declared, start(by, target, options, input));
    }

    <R extends @Nullable Object> ChildHandle<Object, R> start(
            String name, ChildOptions options, Type resultType, @Nullable Object[] arguments) {
        String call = "Durable.startChild(" + Bounds.quoted(name) + ", …)";
        Coroutine by = waiting.mayCommand(call);
        WorkflowType type = setup.registry().workflow(name).orElse(null);
        ChildTarget target = target(call, name, type, resultType);
        Payload input = input(
                target,
                () -> {
                    Bounds.name(call + ": the workflow type", name);
                    return type != null && !type.isOfAnyType()
                            ? setup.codec().encodeArguments(type.methods().run(), arguments)
                            : setup.codec().encodeArguments(name, arguments);
                },
                () -> setup.codec().asRecorded().encodeArguments(name, arguments));
        return new StartedChild<>(run, waiting, setup, type, null, start(by, target, options, input));
    }

    // ── children of earlier runs of the chain ────────────────────────────────────────────────────────────────────────

    void inherit(List<CarriedChild> children, Coroutine body) {
        for (CarriedChild child : children) {
            run.children().inherit(child, asJson(child.workflowType()), body);
        }
    }

    /** Returns their handles, by number. */
    List<ChildHandle<?, ?>> inherited() {
        return run.children().inherited().stream()
                .<ChildHandle<?, ?>>map(child -> new StartedChild<>(
                        run,
                        waiting,
                        setup,
                        setup.registry().workflow(child.type()).orElse(null),
                        null,
                        child))
                .toList();
    }

    /** Returns the handle of the last one of this workflow id. */
    <W> ChildHandle<W, ?> inherited(Class<W> declared, String workflowId) {
        String call = "Durable.child(" + declared.getSimpleName() + ".class, " + Bounds.quoted(workflowId) + ")";
        WorkflowType type = type(call, declared);
        ChildTarget target = target(call, type);
        List<OpenChild> all = run.children().inherited();
        OpenChild child = all.reversed().stream()
                .filter(each -> each.workflowId.equals(workflowId))
                .findFirst()
                .orElseThrow(() -> new UsageException(call + ": " + noChild(all)));
        if (!target.names().contains(child.type())) {
            throw new UsageException(call + ": the child of this workflow id is of the type " + child.type() + ", not "
                    + type.name() + ". Give the class by which it was started.");
        }
        child.readAs(target);
        return new StartedChild<>(run, waiting, setup, type, declared, child);
    }

    private static String noChild(List<OpenChild> known) {
        String ids = known.isEmpty()
                ? "it has none"
                : "it has " + known.size() + ", such as " + Bounds.quoted(known.getFirst().workflowId);
        return "this run goes on with no child of this workflow id from the runs that it continues; " + ids
                + ". Usual causes: the result had been read before the run continued as new, or the run itself started the"
                + " child: then use the handle of Durable.startChild.";
    }

    private WorkflowType type(String call, Class<?> declared) {
        try {
            return setup.registry().workflowOf(declared);
        } catch (RegistrationException e) {
            throw new UsageException(call + ": " + e.getMessage() + NO_JOB, e);
        }
    }

    /**
     * Returns the target of a child whose result is read as JSON and whose failure is data: replay must not depend on the
     * types that are registered in a process.
     */
    private static ChildTarget asJson(String name) {
        return new ChildTarget("Durable.children", name, List.of(name), "default", Object.class, List.of(), null);
    }

    private static ChildTarget target(String call, WorkflowType type) {
        return target(call, type.name(), type, type.methods().run().returnType());
    }

    private static ChildTarget target(String call, String name, @Nullable WorkflowType type, Type resultType) {
        if (name.equals(JobStart.TYPE)) {
            throw new UsageException(call + " started nothing." + NO_JOB);
        }
        List<String> names = type == null
                ? List.of(name)
                : Stream.concat(Stream.of(name, type.name()), type.aliases().stream())
                        .distinct()
                        .toList();
        return new ChildTarget(
                call,
                name,
                names,
                type == null ? "default" : type.taskQueue(),
                resultType,
                type == null ? List.of() : type.methods().run().named(),
                type == null ? null : type.retry());
    }

    private OpenChild start(Coroutine by, ChildTarget target, ChildOptions options, Payload input) {
        ChildStartRequested recorded = recordedNext(target);
        long number = sent.upcomingChild();
        String id = options.id() != null
                ? options.id()
                : recorded != null ? recorded.workflowId() : DefaultChildId.of(run.started(), number);
        String queue = options.taskQueue() == null ? target.taskQueue() : options.taskQueue();
        inputs += input.json().length();
        ChildOptions others = options.withId(null).taskQueue(null).retry(null);
        RetryPolicy retry = null;
        try {
            check(target, id, queue, options);
            retry = WorkflowRetry.of(target.retry(), options.retry());
        } catch (UsageException e) {
            if (!isRecorded(recorded, id, queue, input, others)) {
                throw e;
            }
        } catch (IllegalArgumentException e) {
            if (!isRecorded(recorded, id, queue, input, others)) {
                throw new UsageException(target.call() + " started nothing. " + e.getMessage(), e);
            }
        }
        RetryPolicy policy = recorded == null ? retry : recorded.retry();
        UUID runId = recorded != null
                ? recorded.runId()
                : RunIds.create(journal.now(), id, run.draws().childBits(number));
        String type = recorded == null ? target.type() : recorded.workflowType();
        long message = sent.next();
        sent.nextChild();
        ChildStartRequested put = journal.put((event, at) ->
                new ChildStartRequested(event, at, number, message, id, runId, type, queue, input, others, policy));
        OpenChild child = new OpenChild(put, target, run.children(), by);
        run.children().add(child);
        return child;
    }

    /** Returns the start that the history has next, if it is that of this child; null where the start is new. */
    private @Nullable ChildStartRequested recordedNext(ChildTarget target) {
        return journal.expected() instanceof ChildStartRequested next
                        && next.number() == sent.upcomingChild()
                        && target.names().contains(next.workflowType())
                ? next
                : null;
    }

    /**
     * Returns whether the history has this very start, which is accepted whatever the checks of its release were; another
     * one is refused again, as it was when the turn was made.
     */
    private static boolean isRecorded(
            @Nullable ChildStartRequested recorded, String id, String queue, Payload input, ChildOptions options) {
        return recorded != null
                && recorded.workflowId().equals(id)
                && recorded.taskQueue().equals(queue)
                && recorded.input().equals(input)
                && recorded.options().summary(null).equals(options.summary(null));
    }

    private Payload input(ChildTarget target, Supplier<Payload> checked, Supplier<Payload> unchecked) {
        ChildStartRequested recorded = recordedNext(target);
        try {
            return ExternalCalls.checked(target.call(), checked, recorded == null ? null : recorded.input(), unchecked);
        } catch (PayloadException e) {
            throw new UsageException(target.call() + " started nothing. " + e.getMessage(), e);
        }
    }

    // ── checks of a new start ────────────────────────────────────────────────────────────────────────────────────────

    private void check(ChildTarget target, String id, String queue, ChildOptions options) {
        String call = target.call();
        ParentRun parent = run.started().parent();
        if (parent != null && parent.depth() >= Bounds.CHILD_DEPTH) {
            throw new UsageException(call + " started nothing: this run is a child at depth " + parent.depth()
                    + ", and a tree has at most " + Bounds.CHILD_DEPTH
                    + " levels below its root. Usual cause: a workflow that"
                    + " starts itself as a child without an end.");
        }
        if (run.children().size() >= Bounds.OPEN_CHILDREN) {
            throw new UsageException(
                    call + " started nothing: this run has " + run.children().size()
                            + " open children, and may have " + Bounds.OPEN_CHILDREN + ". Wait for some of them first:"
                            + " Promise.map(items, 1_000, item -> Durable.startChild(…).result()), or let each child start"
                            + " children of its own.");
        }
        if (id.equals(run.started().workflowId())) {
            throw new UsageException(call + " started nothing: " + Bounds.shown(id)
                    + " is the workflow id of this run itself, which is open. Leave the id out, or give another one.");
        }
        bounded(call, id, queue, options);
        if (inputs > Bounds.CHILD_INPUTS) {
            throw new UsageException(call + " started nothing: the arguments of the children that this turn has started"
                    + " have more than " + (Bounds.CHILD_INPUTS >> 20)
                    + " million characters, and a turn is one transaction."
                    + " Start them in portions: Promise.map(items, 100, …), or give them keys instead of the data.");
        }
    }

    private void bounded(String call, String id, String queue, ChildOptions options) {
        try {
            Bounds.id("workflow id", id);
            Bounds.name("task queue", queue);
            WorkflowStarted started = run.started();
            Map<String, String> headers = new LinkedHashMap<>(started.headers());
            headers.putAll(options.headers());
            Bounds.notesWithAdded("start of " + Bounds.shown(id), headers, options.memo());
            Bounds.duration("executionTimeout", options.executionTimeout());
            Bounds.duration("runTimeout", options.runTimeout());
            Bounds.duration("startDelay", options.startDelay());
            Bounds.duration("expiresIn", options.expiresIn());
        } catch (IllegalArgumentException e) {
            throw new UsageException(call + " started nothing. " + e.getMessage(), e);
        }
    }
}
