package dev.durable.internal.replay.call;

import dev.durable.MapOptionsBuilder;
import dev.durable.UsageException;
import java.util.function.Consumer;

/**
 * When a {@code Promise.map} some of whose items may fail has succeeded or failed.
 *
 * @param atOnce the most items under way at once
 * @param minSuccessful the number of successes that are enough
 * @param tolerated the number of failures with which it can still succeed; below 0 where there are too few items
 */
record MapGoal(int atOnce, int minSuccessful, int tolerated) {

    static MapGoal of(Consumer<MapOptionsBuilder> options, int items) {
        Builder chosen = new Builder();
        options.accept(chosen);
        int enough = chosen.minSuccessful < 0 ? Integer.MAX_VALUE : chosen.minSuccessful;
        int tolerated = chosen.tolerated >= 0 ? chosen.tolerated : chosen.minSuccessful < 0 ? 0 : items;
        return new MapGoal(
                chosen.atOnce, enough, chosen.minSuccessful < 0 ? tolerated : Math.min(tolerated, items - enough));
    }

    private static final class Builder implements MapOptionsBuilder {
        private int atOnce = Integer.MAX_VALUE;
        /** Below 0 where it was not set; so is {@link #tolerated}. */
        private int minSuccessful = -1;

        private int tolerated = -1;

        @Override
        public Builder atOnce(int items) {
            atOnce = check("atOnce", items, 1);
            return this;
        }

        @Override
        public Builder minSuccessful(int items) {
            minSuccessful = check("minSuccessful", items, 1);
            return this;
        }

        @Override
        public Builder toleratedFailures(int failures) {
            tolerated = check("toleratedFailures", failures, 0);
            return this;
        }

        private static int check(String option, int given, int least) {
            if (given < least) {
                throw new UsageException("Promise.map: " + option + " must be at least " + least + ", not " + given
                        + ". Leave it out for the default.");
            }
            return given;
        }
    }
}
