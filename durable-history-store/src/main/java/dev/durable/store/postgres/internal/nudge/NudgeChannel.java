package dev.durable.store.postgres.internal.nudge;

import dev.durable.store.Nudges.Nudge;
import dev.durable.store.postgres.internal.sql.NudgePassage;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends nudges to other processes and receives theirs. */
public interface NudgeChannel extends AutoCloseable {
    /** The channel of a process without others. */
    NudgeChannel NONE = new NudgeChannel() {
        @Override
        public void send(Collection<? extends Nudge> nudges) {}

        @Override
        public @Nullable NudgePassage passage(Collection<? extends Nudge> nudges) {
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

    /** Sends nudges soon, or drops them; returns at once. */
    void send(Collection<? extends Nudge> nudges);

    /**
     * Returns the passage that sends nudges along with a transaction, if they may be sent at once; null if {@link
     * #send} has to send them.
     */
    @Nullable
    NudgePassage passage(Collection<? extends Nudge> nudges);

    /** Passes nudges of other processes to the listener from now on. May be called once only. */
    void hear(Consumer<Collection<Nudge>> listener);

    /** Returns whether nudges of other processes arrive here just now. */
    boolean isHeard();

    /** The reason why nothing has been heard for a minute, though it was tried. */
    default Optional<String> trouble() {
        return Optional.empty();
    }

    /** Stops hearing; may begin again. */
    @Override
    void close();
}
