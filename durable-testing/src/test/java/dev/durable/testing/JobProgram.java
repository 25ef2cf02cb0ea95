package dev.durable.testing;

import dev.durable.OnExhausted;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One background job, what its body does each time it is called, and what happens around it; all times are milliseconds,
 * those of happenings since it is enqueued. As text it is one line, from which it can be run again.
 *
 * @param eager enqueued by the worker itself, which then begins it without a claim, rather than by another process
 * @param delay of its start
 * @param expiry when it expires, since it is enqueued; 0 is never
 * @param options of its activity
 * @param calls what the body does in its first call, its second, …; in those that follow it returns
 * @param happenings in the order of their times
 */
record JobProgram(
        boolean eager, long delay, long expiry, Options options, List<Call> calls, List<Happening> happenings) {

    /** Calls that the program says nothing of. */
    static final Call LAST = new Call(1_000, 0, Ends.RETURNS, 0, 0, Told.STOPS, 0);

    /**
     * Options of the activity; 0 is none, but for the attempts, of which 0 is unlimited.
     *
     * @param then what becomes of it when its attempts are used up; null is the default
     */
    record Options(
            long startToClose,
            long scheduleToStart,
            long scheduleToClose,
            long heartbeat,
            int attempts,
            long interval,
            double backoff,
            long maxInterval,
            @Nullable OnExhausted then) {

        /** As an application configures it. */
        Map<String, String> configuration() {
            Map<String, String> all = new TreeMap<>();
            put(all, "start-to-close", startToClose);
            put(all, "schedule-to-start", scheduleToStart);
            put(all, "schedule-to-close", scheduleToClose);
            put(all, "heartbeat-timeout", heartbeat);
            put(all, "retry.initial-interval", interval);
            put(all, "retry.max-interval", maxInterval);
            all.put("durable.activities.Work.retry.max-attempts", Integer.toString(attempts));
            all.put("durable.activities.Work.retry.backoff", Double.toString(backoff));
            all.put("durable.activities.Work.retry.jitter", "0");
            if (then != null) {
                all.put("durable.activities.Work.retry.on-exhausted", then.name());
            }
            return all;
        }

        private static void put(Map<String, String> all, String key, long millis) {
            if (millis > 0) {
                all.put("durable.activities.Work." + key, millis + "ms");
            }
        }
    }

    /** How a body ends that was not asked to stop. */
    enum Ends {
        RETURNS,
        THROWS,
        /** {@code NonRetryableException}. */
        GIVES_UP,
        /** {@code DeferException}. */
        DEFERS,
        /** {@code RetryAfterException}. */
        RETRIES_AFTER,
        /** {@code RetryableException} that says how many attempts remain. */
        LEAVES
    }

    /** The reactions of a body that is asked to stop: by a cancel, a shutdown, a timeout. */
    enum Told {
        /** Throws {@code CancelledException}. */
        STOPS,
        RETURNS,
        /** Throws something else. */
        THROWS,
        /** Goes on as if nothing had been said. */
        IS_DEAF
    }

    /**
     * The behaviour of the body in one call.
     *
     * @param works how long
     * @param beats from one heartbeat to the next; 0 is without
     * @param ends how it ends then
     * @param after the delay that its exception asks for
     * @param left the attempts that its exception leaves
     * @param told its reaction when it is asked to stop
     * @param toldAfter how long that takes it
     */
    record Call(long works, long beats, Ends ends, long after, int left, Told told, long toldAfter) {}

    /** The kinds of events around the job. */
    enum What {
        /** A worker starts. */
        START,
        /** The worker that runs for longest begins to shut down. */
        STOP,
        /** The rest is said of the job. */
        CANCEL,
        PAUSE,
        RESUME,
        RETRY
    }

    /**
     * Something that happens.
     *
     * @param at when
     * @param what it is
     */
    record Happening(long at, What what) {}

    Call call(int number) {
        return number < calls.size() ? calls.get(number) : LAST;
    }

    // ── at random ───────────────────────────────────────────────────────────────────────────────────────────────────

    static JobProgram random(long seed) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        // The first numbers of seeds beside each other are alike.
        random.nextLong();
        return new JobProgram.Dice(random).program();
    }

    /** Throws of the dice. */
    private record Dice(Random random) {
        JobProgram program() {
            long delay = one(3) ? time(10, 60) : 0;
            long expiry = one(4) ? delay + time(5, 70) : 0;
            Options options = options();
            List<Call> calls = new ArrayList<>();
            for (int i = random.nextInt(5); i >= 0; i--) {
                calls.add(call(options));
            }
            List<Happening> happenings = happenings(delay);
            boolean eager = one(2)
                    && happenings.getFirst().at() == 0
                    && happenings.getFirst().what() == What.START;
            return new JobProgram(eager, delay, expiry, options, calls, happenings);
        }

        private Options options() {
            long startToClose = one(2) ? 60_000 : time(15, 45);
            return new Options(
                    startToClose,
                    one(4) ? time(5, 60) : 0,
                    one(4) ? time(20, 150) : 0,
                    one(4) ? time(5, 14) : 0,
                    random.nextInt(5),
                    time(1, 15),
                    1 + random.nextInt(4) / 2.0,
                    time(20, 50),
                    one(3)
                            ? null
                            : pick(
                                    OnExhausted.FAIL,
                                    OnExhausted.INCIDENT,
                                    OnExhausted.DEAD_LETTER,
                                    OnExhausted.DISCARD));
        }

        private Call call(Options options) {
            long works = one(8) ? time(30, 90) : time(1, 25);
            boolean beats = options.heartbeat() > 0 ? !one(4) : one(4);
            long between = options.heartbeat() > 0 ? options.heartbeat() / 2 : time(2, 9);
            return new Call(
                    works,
                    beats ? between : 0,
                    pick(
                            Ends.RETURNS,
                            Ends.RETURNS,
                            Ends.THROWS,
                            Ends.THROWS,
                            Ends.THROWS,
                            Ends.DEFERS,
                            Ends.DEFERS,
                            Ends.RETRIES_AFTER,
                            Ends.LEAVES,
                            Ends.GIVES_UP),
                    time(1, 40),
                    random.nextInt(3),
                    pick(Told.STOPS, Told.STOPS, Told.RETURNS, Told.THROWS, Told.IS_DEAF),
                    one(2) ? 0 : random.nextInt(4_000));
        }

        private List<Happening> happenings(long delay) {
            List<Happening> all = new ArrayList<>();
            all.add(new Happening(one(6) ? time(3, 40) : 0, What.START));
            if (one(2)) {
                long stop = time(1, 90);
                all.add(new Happening(stop, What.STOP));
                // Before it in a rolling deployment, or some time after.
                all.add(new Happening(one(3) ? Math.max(1, stop - time(0, 10)) : stop + time(0, 40), What.START));
            }
            if (one(3)) {
                long pause = time(1, 90);
                all.add(new Happening(pause, What.PAUSE));
                all.add(new Happening(pause + time(1, 60), What.RESUME));
            }
            if (one(4)) {
                all.add(new Happening(delay + time(1, 60), What.CANCEL));
            } else if (one(12)) {
                all.add(new Happening(time(1, 60), What.CANCEL));
            }
            for (int i = 0; i < 2; i++) {
                if (one(4)) {
                    all.add(new Happening(time(1, 150), What.RETRY));
                }
            }
            all.sort(Comparator.comparingLong(Happening::at));
            return all;
        }

        private boolean one(int in) {
            return random.nextInt(in) == 0;
        }

        /** Seconds and a bit, so that no two things are at one time. */
        private long time(int from, int to) {
            return 1_000L * (from + random.nextInt(to - from + 1)) + random.nextInt(1_000);
        }

        @SafeVarargs
        private <T> T pick(T... of) {
            return of[random.nextInt(of.length)];
        }
    }

    // ── as text ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public String toString() {
        String job = "job eager=" + eager + " delay=" + delay + " expiry=" + expiry + " startToClose="
                + options.startToClose + " scheduleToStart=" + options.scheduleToStart + " scheduleToClose="
                + options.scheduleToClose + " heartbeat=" + options.heartbeat + " attempts=" + options.attempts
                + " interval=" + options.interval + " backoff=" + options.backoff + " maxInterval="
                + options.maxInterval + (options.then == null ? "" : " then=" + options.then);
        return Stream.of(
                        Stream.of(job),
                        calls.stream()
                                .map(c -> "call works=" + c.works + " beats=" + c.beats + " ends=" + c.ends + " after="
                                        + c.after + " left=" + c.left + " told=" + c.told + " toldAfter="
                                        + c.toldAfter),
                        happenings.stream().map(h -> "then at=" + h.at + " what=" + h.what))
                .flatMap(parts -> parts)
                .collect(Collectors.joining("; "));
    }

    /** Reads a program from the text that {@link #toString} wrote. */
    static JobProgram parse(String text) {
        List<Words> parts =
                Arrays.stream(text.strip().split(";\\s*", -1)).map(Words::of).toList();
        Words job = parts.getFirst();
        return new JobProgram(
                Boolean.parseBoolean(job.word("eager")),
                job.number("delay"),
                job.number("expiry"),
                new Options(
                        job.number("startToClose"),
                        job.number("scheduleToStart"),
                        job.number("scheduleToClose"),
                        job.number("heartbeat"),
                        (int) job.number("attempts"),
                        job.number("interval"),
                        Double.parseDouble(job.word("backoff")),
                        job.number("maxInterval"),
                        job.all.containsKey("then") ? OnExhausted.valueOf(job.word("then")) : null),
                parts.stream()
                        .filter(part -> part.kind.equals("call"))
                        .map(c -> new Call(
                                c.number("works"),
                                c.number("beats"),
                                Ends.valueOf(c.word("ends")),
                                c.number("after"),
                                (int) c.number("left"),
                                Told.valueOf(c.word("told")),
                                c.number("toldAfter")))
                        .toList(),
                parts.stream()
                        .filter(part -> part.kind.equals("then"))
                        .map(h -> new Happening(h.number("at"), What.valueOf(h.word("what"))))
                        .toList());
    }

    private record Words(String kind, Map<String, String> all) {
        static Words of(String text) {
            String[] words = text.split("\\s+", -1);
            return new Words(
                    words[0],
                    Arrays.stream(words)
                            .skip(1)
                            .map(word -> word.split("=", 2))
                            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1])));
        }

        String word(String name) {
            String word = all.get(name);
            if (word == null) {
                throw new IllegalArgumentException(name + " is missing in " + kind + " " + all);
            }
            return word;
        }

        long number(String name) {
            return Long.parseLong(word(name));
        }
    }

    // ── smaller ─────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Programs that are smaller by one thing. */
    Stream<JobProgram> smaller() {
        List<JobProgram> all = new ArrayList<>();
        for (int i = 0; i < happenings.size(); i++) {
            if (i > 0 || happenings.get(i).what != What.START) {
                all.add(new JobProgram(eager, delay, expiry, options, calls, without(happenings, i)));
            }
        }
        for (int i = 0; i < calls.size(); i++) {
            all.add(new JobProgram(eager, delay, expiry, options, without(calls, i), happenings));
            Call c = calls.get(i);
            if (c.beats > 0) {
                all.add(with(i, new Call(c.works, 0, c.ends, c.after, c.left, c.told, c.toldAfter)));
            }
            if (c.toldAfter > 0) {
                all.add(with(i, new Call(c.works, c.beats, c.ends, c.after, c.left, c.told, 0)));
            }
            if (c.ends != Ends.RETURNS) {
                all.add(with(i, new Call(c.works, c.beats, Ends.RETURNS, c.after, c.left, c.told, c.toldAfter)));
            }
        }
        Options o = options;
        all.add(new JobProgram(false, delay, expiry, options, calls, happenings));
        all.add(new JobProgram(eager, 0, expiry, options, calls, happenings));
        all.add(new JobProgram(eager, delay, 0, options, calls, happenings));
        all.add(with(new Options(
                o.startToClose,
                0,
                o.scheduleToClose,
                o.heartbeat,
                o.attempts,
                o.interval,
                o.backoff,
                o.maxInterval,
                o.then)));
        all.add(with(new Options(
                o.startToClose,
                o.scheduleToStart,
                0,
                o.heartbeat,
                o.attempts,
                o.interval,
                o.backoff,
                o.maxInterval,
                o.then)));
        all.add(with(new Options(
                o.startToClose,
                o.scheduleToStart,
                o.scheduleToClose,
                0,
                o.attempts,
                o.interval,
                o.backoff,
                o.maxInterval,
                o.then)));
        all.add(with(new Options(
                60_000,
                o.scheduleToStart,
                o.scheduleToClose,
                o.heartbeat,
                o.attempts,
                o.interval,
                1,
                o.maxInterval,
                o.then)));
        all.removeIf(this::equals);
        return all.stream();
    }

    private JobProgram with(int number, Call call) {
        List<Call> others = new ArrayList<>(calls);
        others.set(number, call);
        return new JobProgram(eager, delay, expiry, options, others, happenings);
    }

    private JobProgram with(Options others) {
        return new JobProgram(eager, delay, expiry, others, calls, happenings);
    }

    private static <T> List<T> without(List<T> all, int number) {
        List<T> others = new ArrayList<>(all);
        others.remove(number);
        return others;
    }
}
