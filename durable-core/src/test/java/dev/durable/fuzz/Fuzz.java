package dev.durable.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Hands a decoder inputs that nobody has written: recorded ones, changed at random ({@link Mutations}). It may give a value,
 * or throw one of the errors that are documented; nothing else, not for longer than 50 ms, and without initialising a class
 * that an input names. A failure tells the number of the input, which {@code -Ddurable.fuzz.first} begins with.
 */
public final class Fuzz {
    /** 100,000 under {@code -Pthorough}. */
    private static final int INPUTS = Integer.getInteger("durable.fuzz.inputs", 2_000);

    private static final int FIRST = Integer.getInteger("durable.fuzz.first", 0);

    /** For the longest input, {@value Mutations#LONGEST} characters; of the thread's own time, whatever else the machine does. */
    private static final long LIMIT = Duration.ofMillis(50).toNanos();

    /** A collection or a compilation takes one measurement, and not each. */
    private static final int MEASUREMENTS = 5;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final String what;
    private final List<String> recorded;

    private Fuzz(String what, List<String> recorded) {
        this.what = what;
        this.recorded = recorded;
    }

    /**
     * A decoder of something.
     *
     * @param recorded inputs as they are written in earnest
     */
    public static Fuzz of(String what, List<String> recorded) {
        assertThat(recorded).as("recorded inputs of " + what).isNotEmpty();
        return new Fuzz(what, recorded);
    }

    /**
     * Runs it.
     *
     * @param documented what it may throw
     */
    public void through(Consumer<String> decoder, List<Class<? extends RuntimeException>> documented) {
        int before = Planted.Count.initialised();
        int taken = 0;
        for (int number = FIRST; number < FIRST + INPUTS; number++) {
            String input = Mutations.of(recorded, new Random(number));
            if (decode(number, input, decoder, documented)) {
                taken++;
            }
        }
        assertThat(Planted.Count.initialised())
                .as("classes that inputs of " + what + " named and that were initialised")
                .isEqualTo(before);
        assertThat(taken).as("inputs of " + what + " that were taken").isPositive();
    }

    private boolean decode(
            int number, String input, Consumer<String> decoder, List<Class<? extends RuntimeException>> documented) {
        long shortest = Long.MAX_VALUE;
        boolean taken = false;
        for (int i = 0; i < MEASUREMENTS && shortest > LIMIT; i++) {
            long began = THREADS.getCurrentThreadCpuTime();
            taken = accepts(number, input, decoder, documented);
            shortest = Math.min(shortest, THREADS.getCurrentThreadCpuTime() - began);
        }
        if (shortest > LIMIT) {
            throw new AssertionError(described(number, input) + " took " + Duration.ofNanos(shortest));
        }
        return taken;
    }

    @SuppressWarnings("CatchingUnchecked")
    private boolean accepts(
            int number, String input, Consumer<String> decoder, List<Class<? extends RuntimeException>> documented) {
        try {
            decoder.accept(input);
            return true;
        } catch (Throwable e) {
            if (documented.stream().noneMatch(kind -> kind.isInstance(e))) {
                throw new AssertionError(described(number, input) + " ended with " + e.getClass(), e);
            }
            return false;
        }
    }

    private String described(int number, String input) {
        String shown = input.length() <= 400 ? input : input.substring(0, 400) + "…";
        return "input %d of %s, %,d characters: %s".formatted(number, what, input.length(), shown);
    }
}
