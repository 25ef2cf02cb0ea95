package dev.durable.samples.orders.cli;

import java.io.PrintWriter;

/**
 * The figures that a command prints in the end.
 *
 * @param tally how the orders ended
 * @param endedBefore how many of them an earlier process had brought to their end
 * @param file what was read
 */
record Summary(Tally tally, long endedBefore, OrderFile file) {

    void print(PrintWriter out) {
        long here = tally.ended() - endedBefore;
        double seconds = tally.elapsed().toMillis() / 1000.0;
        if (here == 0) {
            out.printf("%ndone: all %d orders had ended before%n", endedBefore);
        } else {
            String before = endedBefore == 0 ? "" : " (" + endedBefore + " had ended before)";
            out.printf("%ndone: %d orders in %.1f s, %.1f per second%s%n", here, seconds, here / seconds, before);
        }
        for (Outcome outcome : Outcome.values()) {
            line(out, outcome.text, tally.of(outcome));
        }
        line(out, "malformed lines", file.malformed().size());
        if (!file.orders().isEmpty()) {
            out.printf(
                    "%nOne order's history:  samples/orders history %s%n",
                    file.orders().getFirst().id());
            out.println("All of them:          samples/orders list");
            out.println("As SQL views:         samples/orders views");
        }
        out.flush();
    }

    private static void line(PrintWriter out, String what, long count) {
        if (count > 0) {
            out.printf("  %-20s %5d%n", what, count);
        }
    }
}
