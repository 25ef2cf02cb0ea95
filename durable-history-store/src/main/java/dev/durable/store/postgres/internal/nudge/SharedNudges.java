package dev.durable.store.postgres.internal.nudge;

import dev.durable.store.Nudges;
import dev.durable.store.postgres.internal.sql.NudgePassage;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Delivers nudges to the listeners of this process at once and to other processes by NOTIFY.
 *
 * <pre>
 *   send ──► listeners of this process, at once, on the thread that has committed
 *     └────► {@link NudgeSender} ──NOTIFY──► server ──► {@link NudgeListener} of another process ──► its listeners
 *
 *   passage ──► a statement after the COMMIT of the transaction ──► {@link #deliver} here
 * </pre>
 *
 * Nudges that came from the server are delivered in this process only and never sent on.
 */
public final class SharedNudges implements Nudges, AutoCloseable {
    private final List<Consumer<Nudge>> listeners = new CopyOnWriteArrayList<>();
    private final NudgeChannel channel;
    private final ReentrantLock changing = new ReentrantLock();

    /** Uses a channel to other processes; {@link NudgeChannel#NONE} is none. */
    public SharedNudges(NudgeChannel channel) {
        this.channel = channel;
    }

    @Override
    public void send(Collection<? extends Nudge> nudges) {
        deliver(nudges);
        channel.send(nudges);
    }

    /** Sends nudges to other processes only. */
    void sendElsewhere(Collection<? extends Nudge> nudges) {
        if (!nudges.isEmpty()) {
            channel.send(nudges);
        }
    }

    /**
     * The passage for a transaction that these nudges are about; {@link #deliver} follows its commit. Null if {@link
     * #send} is to send them.
     */
    @Nullable
    NudgePassage passage(Collection<? extends Nudge> nudges) {
        return channel.passage(nudges);
    }

    @Override
    public boolean heard() {
        return channel.isHeard();
    }

    @Override
    public Optional<String> trouble() {
        return channel.trouble();
    }

    /** Adds a listener; the first one makes this process listen to others. */
    @Override
    public AutoCloseable listen(Consumer<Nudge> listener) {
        inTurn(() -> {
            listeners.add(listener);
            channel.hear(this::deliver);
        });
        return () -> inTurn(() -> {
            if (listeners.remove(listener) && listeners.isEmpty()) {
                channel.close();
            }
        });
    }

    /** Makes a change of the listeners under a lock. The channel is open while there are listeners. */
    private void inTurn(Runnable change) {
        changing.lock();
        try {
            change.run();
        } finally {
            changing.unlock();
        }
    }

    @Override
    public void close() {
        inTurn(() -> {
            listeners.clear();
            channel.close();
        });
    }

    /**
     * Delivers nudges for work that one process can do: to the listeners of this process, or to others where it has
     * none, as a worker that stops.
     */
    public void deliverToOne(Collection<? extends Nudge> nudges) {
        if (listeners.isEmpty()) {
            channel.send(nudges);
        } else {
            deliver(nudges);
        }
    }

    /** Delivers nudges to listeners of this process only. */
    public void deliver(Collection<? extends Nudge> nudges) {
        nudges.forEach(nudge -> listeners.forEach(listener -> listener.accept(nudge)));
    }
}
