package dev.durable.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The figures that one measurement gave, the one that counts first. */
public record Figures(List<Figure> figures) {

    /**
     * One of them.
     *
     * @param lessIsBetter whether it is a time or a cost
     */
    public record Figure(String name, double value, boolean lessIsBetter) {}

    public Figures {
        figures = List.copyOf(figures);
    }

    static Builder of(String name, double rate) {
        return new Builder().rate(name, rate);
    }

    /** The value below which that percentage of the values lies. */
    static long percentile(long[] values, int percent) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)];
    }

    static final class Builder {
        private final List<Figure> figures = new ArrayList<>();

        Builder rate(String name, double value) {
            figures.add(new Figure(name, value, false));
            return this;
        }

        Builder cost(String name, double value) {
            figures.add(new Figure(name, value, true));
            return this;
        }

        /** The cost of one unit of work. */
        Builder costs(String unit, double count, Costs costs) {
            cost("commits/" + unit, costs.commits() / count);
            cost("WAL B/" + unit, costs.walBytes() / count);
            cost("server us/" + unit, costs.server().toNanos() / 1e3 / count);
            return cost("JVM us/" + unit, costs.jvm().toNanos() / 1e3 / count);
        }

        /** In milliseconds. */
        Builder percentiles(String name, long[] nanos) {
            for (int percent : new int[] {50, 95, 99}) {
                cost(name + "p" + percent + " ms", percentile(nanos, percent) / 1e6);
            }
            return this;
        }

        Figures build() {
            return new Figures(figures);
        }
    }
}
