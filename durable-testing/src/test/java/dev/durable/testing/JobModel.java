package dev.durable.testing;

import dev.durable.OnExhausted;
import dev.durable.testing.JobProgram.Call;
import dev.durable.testing.JobProgram.Ends;
import dev.durable.testing.JobProgram.Happening;
import dev.durable.testing.JobProgram.Options;
import dev.durable.testing.JobProgram.Told;
import dev.durable.testing.JobProgram.What;
import dev.durable.testing.JobSeen.Began;
import dev.durable.testing.JobSeen.Note;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A background job as the documents promise it, as a state machine without threads, store or history:
 *
 * <pre>
 *   WAITING ──► RUNNING ──► CLOSED
 *      ▲ │         │ └────► BURIED  (a dead letter or an incident)
 *      │ └─────────┼──────► CLOSED  (its time is over, or it is cancelled)
 *      └───────────┘ given back, or tried again; a buried one is tried again by an operator
 * </pre>
 *
 * <p>All times are milliseconds since it was enqueued.
 */
final class JobModel {
    /** How long bodies may go on while their worker shuts down. */
    static final long DRAIN = 10_000;
    /** How long a body may go on after its worker has asked it to stop, before its job is given to others. */
    static final long AFTER_INTERRUPT = 5_000;
    /** How long the body of a cancelled job may go on. */
    static final long CANCEL_GRACE = 30_000;
    /** Within that time the worker of an attempt hears what operators did to its job. */
    static final long HEARS = 3_000;
    /** After the last happening. */
    static final long PATIENCE = 1_200_000;

    private static final long NEVER = Long.MAX_VALUE / 4;

    /** The promises that were added one by one; one that is off is not promised. */
    enum Rule {
        /** Item 1: deadlines of a delayed job count from the end of its delay, and its expiry is the time that was said. */
        DELAY_IS_TAKEN_OFF_ONCE(true),
        /** Item 2: a job that has begun ends neither by schedule-to-start nor by its expiry, also when it was given back. */
        WHAT_HAS_BEGUN_DOES_NOT_EXPIRE(true),
        /** Item 5: a cancelled job that runs is open until its attempt has ended, and has the result if there is one. */
        CANCEL_TELLS_THE_BODY_FIRST(true),
        /** Item 5: a job that was cancelled while no worker was there is not begun by the one that comes. */
        CANCELLED_BEFORE_IT_BEGAN_NEVER_BEGINS(true),
        /** Item 6: the history of a cancelled job keeps its failed attempts, incidents and dead letters. */
        HISTORY_KEEPS_WHY(true),
        /**
         * An operator's action on a job stands in its history also where it comes shortly before its attempt ends the
         * job. Not promised: it stands in the audit (docs/semantics.md).
         */
        HISTORY_KEEPS_LATE_ORDERS(false),
        /** Item 6: what happened to a job stands in its history in the order in which it happened. */
        HISTORY_KEEPS_ORDER(true),
        /** Item 7: without another setting, a job that failed for good is a dead letter. */
        A_FAILED_JOB_IS_KEPT(true),
        /** Item 9: pause, resume and retry are there for a job whose delay is not over. */
        A_DELAYED_JOB_IS_A_JOB(true);

        private final boolean mended;

        Rule(boolean mended) {
            this.mended = mended;
        }

        /** Those that are kept; all with {@code -Ddurable.jobs.rules=all}, others by their names. */
        static Set<Rule> today() {
            String named = System.getProperty("durable.jobs.rules", "");
            Set<Rule> rules = EnumSet.noneOf(Rule.class);
            for (Rule rule : values()) {
                if (rule.mended
                        || named.equals("all")
                        || List.of(named.split(",", -1)).contains(rule.name())) {
                    rules.add(rule);
                }
            }
            return rules;
        }
    }

    /** The program comes to something of which nothing is said: two things at one time, or a rule that is off. */
    static final class NothingSaid extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NothingSaid(String why) {
            super(why, null, false, false);
        }
    }

    private enum Phase {
        WAITING,
        RUNNING,
        BURIED,
        CLOSED
    }

    private final JobProgram program;
    private final Options options;
    private final Set<Rule> rules;
    private final long margin;

    private final List<Began> calls = new ArrayList<>();
    private final List<String> answers = new ArrayList<>();
    private final List<Note> notes = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();
    private int happened;
    private long now;

    private Phase phase = Phase.WAITING;
    private String status = "RUNNING";
    private int attempt = 1;
    private long readyAt;
    private boolean begun;
    private boolean paused;
    /** It has ended, and no worker was there to write so. */
    private boolean isToBeClosed;

    private long cancelledAt = NEVER;
    private long orderedAt = -NEVER;
    private int maxAttempts;
    private int attemptsBefore;
    private long scheduledAt;
    private long startBy;
    private long closeBy;
    private int details;
    private @Nullable Attempt running;

    private static final class Worker {
        private long stopsAt = NEVER;
    }

    /** An event that may come next. */
    private record Moment(long at, String what, Runnable happens) {}

    private JobModel(JobProgram program, Set<Rule> rules, long margin) {
        this.program = program;
        this.options = program.options();
        this.rules = rules;
        this.margin = margin;
        maxAttempts = options.attempts();
        readyAt = program.delay();
        scheduledAt(program.delay());
        needsIf(program.delay() > 0 && Math.min(startBy, closeBy) < NEVER, Rule.DELAY_IS_TAKEN_OFF_ONCE);
    }

    /** Timeouts count from then; the expiry is the time that was said. */
    private void scheduledAt(long at) {
        scheduledAt = at;
        long toStart = options.scheduleToStart() == 0 ? NEVER : at + options.scheduleToStart();
        startBy = Math.min(toStart, program.expiry() == 0 ? NEVER : program.expiry());
        closeBy = options.scheduleToClose() == 0 ? NEVER : at + options.scheduleToClose();
    }

    /**
     * Computes what is to be seen of the program.
     *
     * @param rules that hold
     * @param margin what happens within that time of something else may come before or after it
     * @throws NothingSaid where the model does not define that
     */
    static JobSeen of(JobProgram program, Set<Rule> rules, long margin) {
        JobModel model = new JobModel(program, rules, margin);
        model.live();
        return model.seen();
    }

    private JobSeen seen() {
        if (phase == Phase.BURIED) {
            // So that its history can be read, an operator ends it.
            notes.add(new Note("failed"));
            notes.add(new Note("failed in attempt " + (attempt - 1)));
        }
        boolean untold = status.equals("CANCELLED") && !rules.contains(Rule.HISTORY_KEEPS_WHY);
        return new JobSeen(calls, answers, status, phase == Phase.WAITING || untold ? null : notes);
    }

    private void needsIf(boolean applies, Rule rule) {
        if (applies && !rules.contains(rule)) {
            throw new NothingSaid(rule.name());
        }
    }

    private void live() {
        List<Happening> all = program.happenings();
        long end = (all.isEmpty() ? 0 : all.getLast().at()) + PATIENCE;
        while (true) {
            List<Moment> next = moments();
            next.sort(Comparator.comparingLong(Moment::at));
            if (next.isEmpty() || next.getFirst().at() > end) {
                if (isToBeClosed) {
                    throw new NothingSaid("a job that nobody closes");
                }
                return;
            }
            Moment first = next.getFirst();
            if (next.size() > 1 && next.get(1).at() - first.at() < margin) {
                throw new NothingSaid(first.what() + " or " + next.get(1).what() + " at " + first.at());
            }
            now = first.at();
            first.happens().run();
        }
    }

    private List<Moment> moments() {
        List<Moment> next = new ArrayList<>();
        if (happened < program.happenings().size()) {
            Happening happening = program.happenings().get(happened);
            next.add(new Moment(happening.at(), happening.what().name(), () -> happens(happening)));
        }
        if (phase == Phase.WAITING) {
            if (!paused && accepting() != null) {
                next.add(new Moment(Math.max(now, readyAt), "begins", this::begin));
            }
            if (!begun || !rules.contains(Rule.WHAT_HAS_BEGUN_DOES_NOT_EXPIRE)) {
                next.add(new Moment(Math.max(now, startBy), "is too late to start", this::tooLateToStart));
            }
            next.add(
                    new Moment(closeBy, "runs out of schedule-to-close", () -> close("FAILED", timedOut(attempt - 1))));
        } else if (running != null) {
            running.moments(next);
        }
        next.removeIf(moment -> moment.at() >= NEVER);
        return next;
    }

    private void tooLateToStart() {
        needsIf(begun, Rule.WHAT_HAS_BEGUN_DOES_NOT_EXPIRE);
        close("FAILED", new Note("timed out: schedule-to-start or expiry"));
    }

    private static Note timedOut(int attempt) {
        return new Note("timed out in attempt " + attempt + ": SCHEDULE_TO_CLOSE");
    }

    // ── what happens around it ──────────────────────────────────────────────────────────────────────────────────────

    private @Nullable Worker accepting() {
        return workers.stream()
                .filter(worker -> worker.stopsAt == NEVER)
                .findFirst()
                .orElse(null);
    }

    private void happens(Happening happening) {
        happened++;
        switch (happening.what()) {
            case START -> {
                workers.add(new Worker());
                isToBeClosed = false;
            }
            case STOP -> {
                Worker oldest = accepting();
                if (oldest != null) {
                    oldest.stopsAt = now;
                }
            }
            case CANCEL -> cancel();
            case PAUSE, RESUME, RETRY -> answers.add(happening.what() + " " + answer(happening.what()));
        }
    }

    private String answer(What what) {
        if (phase == Phase.CLOSED) {
            return "gone";
        }
        needsIf(program.delay() > 0 && !begun, Rule.A_DELAYED_JOB_IS_A_JOB);
        boolean done =
                switch (what) {
                    case PAUSE -> pause(true);
                    case RESUME -> pause(false);
                    default -> retry();
                };
        return Boolean.toString(done);
    }

    /** Pauses or resumes: a paused job is not begun; nothing else changes. */
    private boolean pause(boolean on) {
        boolean changes = phase != Phase.BURIED && paused != on;
        if (changes) {
            paused = on;
            notes.add(new Note(on ? "pause" : "resume", now));
            orderedAt = now;
        }
        return changes;
    }

    private boolean retry() {
        return switch (phase) {
            case WAITING -> {
                if (readyAt <= now) {
                    throw new NothingSaid("a retry of what is due and waits for somebody");
                }
                notes.add(new Note("retry", now));
                if (!begun) {
                    scheduledAt(now);
                }
                readyAt = now;
                yield true;
            }
            case BURIED -> {
                notes.add(new Note("retried", now));
                int used = attempt - 1;
                int allowed = maxAttempts > attemptsBefore ? maxAttempts - attemptsBefore : maxAttempts;
                maxAttempts = allowed == 0 ? 0 : used + allowed;
                attemptsBefore = used;
                closeBy = options.scheduleToClose() == 0 ? NEVER : now + options.scheduleToClose();
                status = "RUNNING";
                waitUntil(now);
                yield true;
            }
            case RUNNING, CLOSED -> false;
        };
    }

    private void cancel() {
        if (isToBeClosed) {
            throw new NothingSaid("a cancel of what has ended and is not closed");
        }
        if (phase == Phase.CLOSED || cancelledAt < NEVER) {
            return;
        }
        needsIf(accepting() == null, Rule.CANCELLED_BEFORE_IT_BEGAN_NEVER_BEGINS);
        if (running == null || !rules.contains(Rule.CANCEL_TELLS_THE_BODY_FIRST)) {
            closeCancelled();
        } else {
            cancelledAt = now;
            running.told();
        }
    }

    // ── its life ────────────────────────────────────────────────────────────────────────────────────────────────────

    private void begin() {
        Worker worker = accepting();
        if (worker == null) {
            throw new AssertionError("nobody is there");
        }
        // Today it counts as scheduled only now.
        needsIf(program.delay() > 0 && !begun && now > readyAt + margin, Rule.DELAY_IS_TAKEN_OFF_ONCE);
        calls.add(new Began(now, attempt, scheduledAt, details));
        begun = true;
        phase = Phase.RUNNING;
        running = new Attempt(worker, calls.size());
    }

    private void waitUntil(long until) {
        phase = Phase.WAITING;
        running = null;
        readyAt = until;
    }

    private void close(String how, Note last) {
        needsLateOrders();
        notes.add(last);
        isToBeClosed = accepting() == null;
        status = how;
        phase = Phase.CLOSED;
        running = null;
    }

    private void needsLateOrders() {
        needsIf(phase == Phase.RUNNING && now - orderedAt < HEARS + margin, Rule.HISTORY_KEEPS_LATE_ORDERS);
    }

    private void closeCancelled() {
        needsLateOrders();
        isToBeClosed = accepting() == null;
        status = "CANCELLED";
        phase = Phase.CLOSED;
        running = null;
    }

    /** It was to stop, and fell silent. */
    private void closeCancelledLate() {
        notes.add(new Note("attempt " + attempt + " timed out", now));
        closeCancelled();
    }

    /** Given back: no attempt is used. */
    private void giveBack(long after) {
        if (cancelledAt < NEVER) {
            closeCancelled();
        } else {
            waitUntil(now + after);
        }
    }

    /**
     * An attempt has failed.
     *
     * @param delay until the next one, if the failure says so; else less than 0
     * @param allowed whether another may follow
     * @param last how it ends if it just fails
     */
    private void failed(String reason, long delay, boolean allowed, Note last) {
        long wait = delay >= 0 ? delay : policyDelay();
        if (!allowed) {
            exhausted(reason, last);
        } else if (wait >= closeBy - now) {
            notes.add(new Note("attempt " + attempt + " " + reason, now));
            close("FAILED", timedOut(attempt));
        } else {
            notes.add(new Note("attempt " + attempt + " " + reason, now));
            nextAttempt();
            waitUntil(now + wait);
        }
    }

    private void nextAttempt() {
        attempt++;
        startBy = NEVER;
    }

    private long policyDelay() {
        double delay = options.interval() * Math.pow(options.backoff(), Math.max(0, attempt - 1 - attemptsBefore));
        return (long) Math.min(delay, (double) options.maxInterval());
    }

    private boolean policyAllows() {
        return maxAttempts == 0 || attempt < maxAttempts;
    }

    private void exhausted(String reason, Note last) {
        OnExhausted kept = rules.contains(Rule.A_FAILED_JOB_IS_KEPT) ? OnExhausted.DEAD_LETTER : OnExhausted.FAIL;
        OnExhausted then = options.then() == null ? kept : options.then();
        switch (then) {
            case FAIL -> close("FAILED", last);
            case DISCARD -> {
                notes.add(new Note("attempt " + attempt + " discarded", now));
                close("COMPLETED", new Note("completed in attempt " + attempt));
            }
            case INCIDENT, DEAD_LETTER -> {
                notes.add(new Note(then + " after attempt " + attempt + " " + reason, now));
                nextAttempt();
                phase = Phase.BURIED;
                status = then.name();
                running = null;
            }
        }
    }

    /** One call of the body, for as long as it counts. */
    private final class Attempt {
        private final Worker worker;
        private final Call call;
        private final int number;
        private final long closesBy;
        private long lastSign;
        private long nextBeat;
        private int beats;
        private long endsAt;
        private boolean told;
        private boolean shutDown;

        Attempt(Worker worker, int number) {
            this.worker = worker;
            this.number = number;
            call = program.call(number - 1);
            long toClose = options.startToClose() == 0 ? 60_000 : options.startToClose();
            closesBy = now + toClose;
            lastSign = now;
            nextBeat = call.beats() == 0 ? NEVER : now + call.beats();
            endsAt = now + call.works();
        }

        void moments(List<Moment> next) {
            next.add(new Moment(endsAt, "the body ends", this::ended));
            next.add(new Moment(closesBy, "start-to-close", () -> timedOut("START_TO_CLOSE")));
            next.add(new Moment(closeBy, "schedule-to-close", this::outOfTime));
            if (options.heartbeat() > 0) {
                next.add(new Moment(lastSign + options.heartbeat(), "heartbeat", () -> timedOut("HEARTBEAT")));
            }
            if (nextBeat < endsAt) {
                next.add(new Moment(nextBeat, "beat", this::beat));
            }
            if (worker.stopsAt < NEVER) {
                long stop = Math.max(worker.stopsAt + DRAIN, now);
                next.add(
                        shutDown
                                ? new Moment(worker.stopsAt + DRAIN + AFTER_INTERRUPT, "given back", () -> giveBack(0))
                                : new Moment(stop, "told by the shutdown", this::shutDown));
            }
            if (cancelledAt < NEVER) {
                next.add(new Moment(cancelledAt + CANCEL_GRACE, "end of grace", JobModel.this::closeCancelled));
            }
        }

        private void beat() {
            lastSign = now;
            nextBeat += call.beats();
            details = 1_000 * number + ++beats;
        }

        private void shutDown() {
            shutDown = true;
            told();
        }

        void told() {
            if (!told && call.told() != Told.IS_DEAF) {
                told = true;
                nextBeat = NEVER;
                endsAt = now + call.toldAfter();
            }
        }

        private void outOfTime() {
            if (cancelledAt < NEVER) {
                closeCancelledLate();
            } else {
                close("FAILED", JobModel.timedOut(attempt));
            }
        }

        private void timedOut(String which) {
            if (cancelledAt < NEVER) {
                closeCancelledLate();
            } else {
                failed("timed out", -1, policyAllows(), new Note("timed out in attempt " + attempt + ": " + which));
            }
        }

        private void ended() {
            Ends ends = !told ? call.ends() : call.told() == Told.RETURNS ? Ends.RETURNS : Ends.THROWS;
            Note last = new Note("failed in attempt " + attempt);
            if (ends == Ends.RETURNS) {
                close("COMPLETED", new Note("completed in attempt " + attempt));
            } else if (cancelledAt < NEVER) {
                closeCancelled();
            } else if (shutDown) {
                giveBack(0);
            } else {
                switch (ends) {
                    case THROWS -> failed("failed", -1, policyAllows(), last);
                    case GIVES_UP -> failed("failed", -1, false, last);
                    case DEFERS -> giveBack(call.after());
                    case RETRIES_AFTER -> failed("failed", call.after(), policyAllows(), last);
                    case LEAVES -> {
                        int failedIn = attempt;
                        failed("failed", call.after(), call.left() > 0, last);
                        if (phase == Phase.WAITING) {
                            maxAttempts = failedIn + call.left();
                        }
                    }
                    case RETURNS -> throw new AssertionError("it has returned");
                }
            }
        }
    }
}
