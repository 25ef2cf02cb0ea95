package dev.durable.client;

import dev.durable.Activity;
import dev.durable.QueueFullException;
import dev.durable.RefusedInputException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Limits of a task queue over all workers; null is no limit.
 *
 * @param concurrency activities that run at once
 * @param ratePerSecond activities that begin in any second, by the store's clock
 * @param maxDepth jobs and runs that may wait before starts are refused with {@link QueueFullException}
 * @param keyConcurrency activities of one limit key that run at once
 * @param keyRatePerSecond activities of one limit key that begin in any second
 */
public record QueueLimits(
        @Nullable Integer concurrency,
        @Nullable Integer ratePerSecond,
        @Nullable Integer maxDepth,
        @Nullable Integer keyConcurrency,
        @Nullable Integer keyRatePerSecond) {

    /** Nothing is limited. */
    public static final QueueLimits NONE = new QueueLimits(null, null, null, null, null);

    /** Returns whether claims of the queue are counted, one after the other over all workers. */
    public boolean limitsClaims() {
        return concurrency != null || ratePerSecond != null || keyRatePerSecond != null;
    }

    /** The limits that this sets. */
    public static QueueLimits of(Consumer<Builder> limits) {
        Builder builder = new Builder();
        limits.accept(builder);
        return new QueueLimits(
                builder.concurrency,
                builder.ratePerSecond,
                builder.maxDepth,
                builder.perKey.concurrency,
                builder.perKey.ratePerSecond);
    }

    /** Limits of a queue, each at least 1. Not thread-safe. */
    public static final class Builder {
        private final PerKey perKey = new PerKey();
        private @Nullable Integer concurrency;
        private @Nullable Integer ratePerSecond;
        private @Nullable Integer maxDepth;

        private Builder() {}

        /**
         * Activities of the queue that run at once, over all workers. One counts until its body has ended, also after its
         * timeout or the end of its run: for a minute at most where the body does not stop.
         */
        public Builder concurrency(int most) {
            concurrency = atLeastOne("concurrency", most);
            return this;
        }

        /** Activities of the queue that begin in any second, over all workers. */
        public Builder ratePerSecond(int most) {
            ratePerSecond = atLeastOne("ratePerSecond", most);
            return this;
        }

        /**
         * Jobs that wait (ready, delayed, or for their key) together with runs that are due, from which on
         * {@code client.start} and {@code client.enqueue} throw {@link QueueFullException}. Activities that running
         * workflows schedule are never refused: their runs could not go on; nor are
         * jobs of a batch that was let in. Many starters at once may go beyond it by
         * what they start within a tenth of a second.
         */
        public Builder maxDepth(int most) {
            maxDepth = atLeastOne("maxDepth", most);
            return this;
        }

        /** Limits for each {@linkplain Activity#limitKey() limit key} of its own. */
        public Builder perKey(Consumer<PerKey> limits) {
            limits.accept(perKey);
            return this;
        }
    }

    /** Limits for each limit key of a queue, each at least 1. Not thread-safe. */
    public static final class PerKey {
        private @Nullable Integer concurrency;
        private @Nullable Integer ratePerSecond;

        private PerKey() {}

        /** Activities of one key that run at once, over all workers. */
        public PerKey concurrency(int most) {
            concurrency = atLeastOne("perKey concurrency", most);
            return this;
        }

        /** Activities of one key that begin in any second, over all workers. */
        public PerKey ratePerSecond(int most) {
            ratePerSecond = atLeastOne("perKey ratePerSecond", most);
            return this;
        }
    }

    private static int atLeastOne(String what, int value) {
        if (value < 1) {
            throw new RefusedInputException(what + " of a queue must be at least 1, not " + value
                    + ". To let nothing through, pause the queue; to lift the limit, leave it out.");
        }
        return value;
    }
}
