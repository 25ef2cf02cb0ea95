package dev.durable.internal.replay.coroutine;

import dev.durable.PayloadException;
import dev.durable.history.SignalReceived;
import dev.durable.internal.intercept.Propagation;
import dev.durable.internal.replay.match.AsideThreads;
import dev.durable.internal.replay.match.HungAsideException;
import dev.durable.internal.replay.match.StalledException;
import dev.durable.internal.replay.match.UserLines;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the threads of one run and writes the stall messages about threads that block or never wait. */
public final class RunThreads {
    private static final Logger log = LoggerFactory.getLogger(RunThreads.class);
    private static final int SHOWN_FRAMES = 12;
    private static final int SHOWN_CAUSES = 5;
    private static final int REMEMBERED = 1_000;

    /** The runs and methods whose stack was logged, as a run that stalls is tried again each minute. */
    private static final Set<String> LOGGED =
            Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                    return size() > REMEMBERED;
                }
            }));

    private final UUID id;
    private final String run;
    private final ClassLoader loader;
    private final UserLines lines;
    private final boolean strict;
    private final AsideThreads asides;
    private volatile boolean stackLogged;

    /**
     * @param id the id of the run
     * @param run its name in errors: {@code OrderWorkflow order-42}
     * @param workflow the class that runs
     * @param strict whether code that blocks stalls its run at once, rather than when its turn takes too long
     * @param asides the threads of its queries and of the judgement of its updates
     */
    public RunThreads(UUID id, String run, Class<?> workflow, boolean strict, AsideThreads asides) {
        this.id = id;
        this.strict = strict;
        this.asides = asides;
        this.run = run;
        this.loader = workflow.getClassLoader();
        this.lines = new UserLines(workflow);
    }

    /** Creates a thread that inherits nothing from its creator, which is another thread on each replay. */
    Thread create(Runnable main) {
        Thread thread = Thread.ofVirtual()
                .name(run)
                .inheritInheritableThreadLocals(false)
                .unstarted(main);
        thread.setContextClassLoader(loader);
        return thread;
    }

    /**
     * Begins code that only looks at the run on a thread that inherits nothing from the calling one.
     *
     * @param end called on that thread when the code has returned
     * @throws StalledException where there is no thread for it
     */
    AsideThreads.Call aside(Runnable code, Runnable end) {
        if (asides.areUsedUp()) {
            throw new StalledException(
                    run + " is stalled: there is no thread for queries and for the judgement of updates, as "
                            + AsideThreads.MOST_LOST
                            + " of them run code that does not return. The log names it: \"has run for … without an end\"."
                            + " Mend it, and restart the process.",
                    null);
        }
        try {
            return asides.begin(run, loader, code, end);
        } catch (OutOfMemoryError e) {
            throw new StalledException(
                    run
                            + " is stalled: the system has no thread to give for a query or for the judgement of an update ("
                            + e.getMessage()
                            + "). It is tried again. Usual cause: a limit of threads of the container.",
                    e);
        }
    }

    /** Notes a coroutine that goes on computing although it was given up, so that {@link #refuseWhileItComputes} knows. */
    void noteComputing(@Nullable Thread hung) {
        if (hung != null && hung.isVirtual() && hung.getState() == Thread.State.RUNNABLE) {
            asides.keepsCarrier(id, hung);
        }
    }

    /**
     * Refuses a new turn while code of an earlier try computes in this process: it would most probably come to the same
     * place, and keep another carrier thread.
     */
    public void refuseWhileItComputes() {
        Thread computing = asides.carriedBy(id);
        if (computing != null) {
            throw new StalledException(
                    run + " is stalled: " + userLine(computing.getStackTrace())
                            + " computes since an earlier try of the turn, which was given up, and keeps a carrier thread"
                            + " of this process. Until it returns the turn is not tried again here. Usual cause: an endless"
                            + " loop. Mend it, and deploy the code.",
                    null);
        }
    }

    public UserLines lines() {
        return lines;
    }

    /** Returns the position of the thread; null without a line of the user's. */
    @Nullable
    public String lineOf(@Nullable Thread thread) {
        return thread == null ? null : lines.of(thread.getStackTrace());
    }

    // ── messages of stalls ───────────────────────────────────────────────────────────────────────────────────────────

    /** Describes code that ran for the limit without coming to a wait. */
    StalledException hung(@Nullable Thread thread, Duration limit) {
        StackTraceElement[] stack = thread == null ? new StackTraceElement[0] : thread.getStackTrace();
        return blocks(thread, stack)
                ? blocked(stack)
                : new StalledException(
                        run + " is stalled: " + busy(stack, limit) + "\n" + frames(stack), null, stackLogged);
    }

    /** Describes code that waits for something outside of the run. */
    StalledException blocked(StackTraceElement[] stack) {
        return new StalledException(run + " is stalled: " + blocking(stack) + "\n" + frames(stack), null, stackLogged);
    }

    /**
     * Describes a query, or the judgement of an update, that did not return, and logs its stack. One that was not seen in
     * code of the application may not have had a chance to begin.
     */
    StalledException hungAside(@Nullable Thread thread, StackTraceElement @Nullable [] blockedAt, Duration limit) {
        StackTraceElement[] stack =
                blockedAt != null ? blockedAt : thread == null ? new StackTraceElement[0] : thread.getStackTrace();
        if (lines.called(stack) < 0) {
            return new StalledException(
                    run + " is stalled: a query, or the judgement of an update, has not returned for " + limit
                            + ", and its thread was seen in no code of the application. It is tried again. Usual cause: the"
                            + " machine stood still or had no CPU for the thread.",
                    null);
        }
        String called = lines.calledIn(stack);
        String owner = ownerOfLock(thread);
        String text = userLine(stack)
                + (blockedAt != null || blocks(thread, stack)
                        ? " blocks in " + (called == null ? "a synchronized block" : called)
                                + (owner == null ? "" : ", for a lock that thread '" + Bounds.shown(owner) + "' holds")
                        : " has run for " + limit + " without an end")
                + ". Queries and validators of updates may only look at the state of the run and at their arguments, without"
                + " waiting or computing for long, as the other workflows of the worker wait meanwhile."
                + (owner == null
                        ? ""
                        : " They run on a thread of the engine: a caller that holds a lock which they take waits for"
                                + " itself.");
        log.warn("{}: {}\n{}", run, text, frames(stack));
        return new HungAsideException(text);
    }

    /** Returns the name of the thread that holds the lock for which this one waits; null where that is not known. */
    private static @Nullable String ownerOfLock(@Nullable Thread thread) {
        ThreadInfo waiting =
                thread == null ? null : ManagementFactory.getThreadMXBean().getThreadInfo(thread.threadId());
        return waiting == null ? null : waiting.getLockOwnerName();
    }

    /**
     * Logs code that may still come to a wait; all other runs of the process wait for this one meanwhile. The stack is
     * logged once for a method in which a run is slow, not each time that the run is tried again.
     */
    void reportSlow(@Nullable Thread thread, Duration time) {
        StackTraceElement[] stack = thread == null ? new StackTraceElement[0] : thread.getStackTrace();
        String line = userLine(stack);
        int method = line.indexOf('(');
        boolean first = LOGGED.add(run + " in " + (method < 0 ? line : line.substring(0, method)));
        stackLogged = true;
        log.warn(
                "{} holds up the other workflows of this worker: {}{}",
                run,
                blocks(thread, stack) ? blocking(stack) : busy(stack, time),
                first ? "\n" + frames(stack) : "");
    }

    private boolean blocks(@Nullable Thread thread, StackTraceElement[] stack) {
        return thread != null && thread.getState() != Thread.State.RUNNABLE && lines.called(stack) >= 0;
    }

    private String blocking(StackTraceElement[] stack) {
        String called = lines.calledIn(stack);
        return userLine(stack) + " blocks in " + (called == null ? "a synchronized block" : called)
                + ". A workflow may block only in calls of Durable, of promises and of activity stubs: use Durable.sleep and"
                + " Durable.await, and do I/O in an activity.";
    }

    private String busy(StackTraceElement[] stack, Duration time) {
        return userLine(stack) + " has run for " + time
                + " without a wait. Usual cause: an endless loop, or long computation, which belongs into an activity.";
    }

    private String userLine(StackTraceElement[] stack) {
        String line = lines.of(stack);
        return line == null ? "its code" : line;
    }

    boolean areStrict() {
        return strict;
    }

    /**
     * Describes an {@code Error} of the code, which says nothing about the run, only about the process or the code; or
     * an exception of the engine's part of a turn.
     */
    StalledException errorOut(Throwable error) {
        String line = lines.of(Thrown.of(error).stack());
        return new StalledException(
                run + " is stalled: " + Thrown.of(error).text() + (line == null ? "" : " at " + line)
                        + (error instanceof Error
                                ? ". An Error does not fail a run, for nothing could un-fail it"
                                : ". It came out of the engine's own part of the turn, so it does not fail the run")
                        + "; the turn is tried again, with the code that is deployed then.",
                error);
    }

    /** Describes a call of the library that breaks its rules, or that asks for a value as a type which it has not. */
    public StalledException usage(Coroutine by, Throwable thrown, RuntimeException error) {
        String called = lines.of(Thrown.of(error).stack());
        String line = called == null ? lines.of(Thrown.of(thrown).stack()) : called;
        return new StalledException(
                run + " is stalled: " + sentence(Thrown.of(error).words()) + " It came out of " + by.name
                        + (line == null ? "" : ", at " + line)
                        + ". Such a mistake of the code does not fail a run: deploy code without it, and the run goes on.",
                error);
    }

    /** Describes an exception of the code that the code or the engine lists in {@code stallOn}. */
    public StalledException stallsOn(Coroutine by, Throwable thrown, Class<?> listed, boolean byWorkflow) {
        StackTraceElement[] stack = Thrown.of(thrown).stack();
        String line = lines.of(stack);
        return new StalledException(
                run + " is stalled: " + by.name + " threw "
                        + sentence(Thrown.of(thrown).text() + (line == null ? "" : " at " + line)) + " "
                        + (byWorkflow ? "@Workflow(stallOn)" : "The engine's stallOn (durable.stall-on)") + " lists "
                        + listed.getName()
                        + ", so it does not fail the run. Deploy code that does not throw it, and the run goes on; if it is"
                        + " an outcome, declare it: \"throws "
                        + thrown.getClass().getSimpleName() + "\" at @Run.\n" + frames(stack)
                        + causes(thrown),
                thrown);
    }

    private String causes(Throwable thrown) {
        return Thrown.of(thrown)
                .chain()
                .skip(1)
                .limit(SHOWN_CAUSES)
                .map(cause -> {
                    String line = lines.of(Thrown.of(cause).stack());
                    return "\nCaused by: " + Thrown.of(cause).text() + (line == null ? "" : " at " + line);
                })
                .collect(Collectors.joining());
    }

    private static String sentence(String text) {
        return text.endsWith(".") ? text : text + ".";
    }

    /** Describes data of the history that does not fit the code. */
    StalledException unreadable(PayloadException error) {
        return new StalledException(
                run + " is stalled: its history has data that the code can't read. " + error.getMessage()
                        + " Usual cause: a type was changed after the run had recorded a value of it. Deploy a type that"
                        + " reads both.",
                error);
    }

    /** Describes an accepted signal that does not fit its handler. */
    StalledException unreadableSignal(SignalReceived signal, PayloadException error) {
        return new StalledException(
                run + " is stalled: signal " + signal.name() + ", event " + signal.id() + " of " + signal.at() + ": "
                        + error.getMessage()
                        + " Usual cause: a caller without the workflow's class sent values of other types, or the handler's"
                        + " types were changed. Deploy code that reads them, and the run goes on; or terminate the run:"
                        + " handle.terminate(…).",
                error);
    }

    /** Describes a run whose callers' context can't be bound to its thread. */
    public StalledException contextNotRestored(Throwable error) {
        return new StalledException(run + " is stalled: " + Propagation.notRestored(run, error), error);
    }

    /** Describes a run with a version that this code does not know any more, or not yet. */
    public StalledException unsupportedVersion(String changeId, int version, int min, int max) {
        String line = lines.here();
        return new StalledException(
                run + " is stalled: it has version " + version + " of the change \"" + changeId + "\", and the code"
                        + (line == null ? "" : " at " + line) + " supports " + min + " to " + max + ". "
                        + (version < min
                                ? "The code of version " + version
                                        + " was removed while this run still needs it: bring it back"
                                        + " until all such runs are closed."
                                : "The run was made by newer code than this: let a newer worker have it."),
                null);
    }

    /** Describes a run that was started under rules of replay that this release does not have. */
    public StalledException newerRules(int flags) {
        return new StalledException(
                run + " is stalled: it was started by a newer version of Durable (flags " + flags
                        + ") whose rules of replay this one does not know. Let a worker of that version have it.",
                null);
    }

    /** Describes a condition that holds when it is evaluated again, although nothing has happened. */
    StalledException unsteadyCondition() {
        return new StalledException(
                run
                        + " is stalled: a condition of Durable.await gives another answer when it is asked again, although nothing"
                        + " has happened in between. Usual cause: it counts, draws, or looks at a clock or at what another"
                        + " thread does. It may only look at the state of the workflow, and not change it.",
                null);
    }

    /** Describes a side effect that threw, which leaves nothing to replay. */
    public StalledException sideEffectFailed(Throwable error) {
        String line = lines.of(Thrown.of(error).stack());
        String text = Thrown.of(error).text();
        return new StalledException(
                run + " is stalled: Durable.sideEffect threw "
                        + (text.endsWith(".") ? text.substring(0, text.length() - 1) : text)
                        + (line == null ? "" : " (at " + line + ")")
                        + ". Only a value is recorded, so the turn is tried again until there is one. What may fail for good"
                        + " belongs into an activity.",
                error);
    }

    /** Describes a call by name with arguments that the method does not take, which no compiler checks. */
    public StalledException wrongArguments(String activity, IllegalArgumentException why) {
        String line = lines.here();
        return new StalledException(
                run + " is stalled: Durable.activity(\"" + activity + "\", …)" + (line == null ? "" : " at " + line)
                        + " can't be made. " + why.getMessage()
                        + ". Usual cause: the method was changed, and nothing checks calls by name when they are compiled."
                        + " Give what it takes, or call it through a stub of its type; the turn is tried again, with the"
                        + " code that is deployed then.",
                why);
    }

    /** Describes a loop that keeps calling the API. */
    public StalledException tooMany(String what, int limit) {
        String line = lines.here();
        return new StalledException(
                run + " is stalled: more than " + limit + " " + what + " in one turn"
                        + (line == null ? "" : " at " + line)
                        + ". Usual cause: a loop that never comes to a wait. Wait in it, or do less at a time.",
                null);
    }

    /** Logs a coroutine that catches every Throwable and calls again. */
    void reportUndying(Coroutine coroutine) {
        log.warn(
                "{}: coroutine '{}' swallows every Throwable in a loop at {} and can't be ended; its thread is lost until this"
                        + " process ends. Catch Exception instead, or leave the loop.",
                run,
                coroutine.name,
                lines.here());
    }

    private static String frames(StackTraceElement[] stack) {
        return Arrays.stream(stack)
                .limit(SHOWN_FRAMES)
                .map(frame -> "    at " + frame)
                .collect(Collectors.joining("\n"));
    }
}
