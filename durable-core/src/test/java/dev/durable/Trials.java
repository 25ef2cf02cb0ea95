package dev.durable;

import java.util.function.Predicate;

/**
 * Repeats a trial that is bounded in real time. On a busy machine any thread may stand still for a while, for which what is
 * tested is not to blame; what is too slow itself is so at each try.
 */
public final class Trials {
    /** One under {@code -Pthorough}. */
    private static final int MOST = Integer.getInteger("durable.trials", 5);

    private Trials() {}

    /** Something that fails by {@link AssertionError} where it took too long. */
    @FunctionalInterface
    public interface Trial {
        /**
         * Makes one try.
         *
         * @param number 1, and so on
         */
        void run(int number) throws Exception;
    }

    /** Something that measures, and fails at once where what it sees is wrong whatever it took. */
    @FunctionalInterface
    public interface Measurement<T> {
        /**
         * Measures once.
         *
         * @param number 1, and so on
         */
        T take(int number) throws Exception;
    }

    /** Measures until it is as wanted, and gives what was measured last: for the caller to look at. */
    public static <T> T until(Predicate<? super T> wanted, Measurement<T> measurement) throws Exception {
        T last = measurement.take(1);
        for (int number = 2; number <= MOST && !wanted.test(last); number++) {
            last = measurement.take(number);
        }
        return last;
    }

    /** Runs it until it passes for the first time. The failure of the last try is thrown, with those before it suppressed. */
    public static void once(Trial trial) throws Exception {
        AssertionError failed = null;
        for (int number = 1; number <= MOST; number++) {
            try {
                trial.run(number);
                return;
            } catch (AssertionError e) {
                if (failed != null) {
                    e.addSuppressed(failed);
                }
                failed = e;
            }
        }
        throw new AssertionError("at each of " + MOST + " tries; the last: " + failed, failed);
    }
}
