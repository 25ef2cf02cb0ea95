package dev.durable.benchmarks;

/** What is done and measured. */
@FunctionalInterface
interface Scenario {
    /** Warms up, measures, and checks what was done. */
    Figures measure(Contestant contestant, Database database, Settings settings) throws Exception;

    /** Refuses figures of work that was not done right. */
    static void check(Contestant contestant, long runs, long steps) throws Exception {
        var wrong = contestant.check(runs, steps);
        if (!wrong.isEmpty()) {
            throw new IllegalStateException("What was measured is wrong: " + String.join("; ", wrong));
        }
    }
}
