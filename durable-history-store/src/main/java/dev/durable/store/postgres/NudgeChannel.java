package dev.durable.store.postgres;

import dev.durable.store.Nudges.Nudge;
import java.util.Collection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The way to other processes. */
interface NudgeChannel extends AutoCloseable {
    /** There are no others. */
    NudgeChannel NONE = new NudgeChannel() {
        @Override
        public void send(Collection<? extends Nudge> nudges) {}

        @Override
        public @Nullable Passage passage(Collection<? extends Nudge> nudges) {
            return null;
        }

        @Override
        public void hear(Consumer<Collection<Nudge>> listener) {}

        @Override
        public boolean isHeard() {
            return false;
        }

        @Override
        public void close() {}
    };

    /** Sends them soon, or not at all; returns at once. */
    void send(Collection<? extends Nudge> nudges);

    /** Takes them along with a transaction, if they may go at once; null when {@link #send} has to see to them. */
    @Nullable
    Passage passage(Collection<? extends Nudge> nudges);

    /** From here on the listener is told what others send; it stays the same. Once is enough. */
    void hear(Consumer<Collection<Nudge>> listener);

    /** Whether what others send arrives here just now. */
    boolean isHeard();

    /**
     * Nudges on their way behind somebody's COMMIT.
     *
     * @param statement tells others, in a transaction of its own
     * @param arrived to be told when it got through
     * @param failed to be told when it may not have
     */
    record Passage(Script.Statement statement, Runnable arrived, Consumer<Exception> failed) {}

    /** Stops hearing; may begin again. */
    @Override
    void close();
}
