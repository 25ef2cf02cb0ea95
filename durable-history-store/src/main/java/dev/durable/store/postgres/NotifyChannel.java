package dev.durable.store.postgres;

import dev.durable.store.Nudges.Nudge;
import java.util.Collection;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** NOTIFY and LISTEN on a channel that is named after the schema: stores on other schemas hear nothing of it. */
final class NotifyChannel implements NudgeChannel {
    private final DataSource dataSource;
    private final String name;
    private final String self = UUID.randomUUID().toString();
    private final Audience audience = new Audience(System::nanoTime);
    private final NudgeSender sender;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable NudgeListener listener;

    NotifyChannel(DataSource dataSource, SchemaName schema) {
        this.dataSource = dataSource;
        this.name = schema.value() + "_nudge";
        NudgeSender.Wire wire = payloads -> {
            try (Borrowed borrowed = Borrowed.from(dataSource)) {
                NudgeMessage.notify(borrowed.connection(), name, payloads);
            }
        };
        this.sender = new NudgeSender(self, audience, wire, NudgeSender.threadOnDemand(), System::nanoTime);
    }

    @Override
    public void send(Collection<? extends Nudge> nudges) {
        sender.add(nudges);
    }

    @Override
    public @Nullable NudgePassage passage(Collection<? extends Nudge> nudges) {
        return sender.takeAtOnce(nudges)
                .map(payload ->
                        new NudgePassage(NudgeMessage.statement(name, payload), sender::succeeded, sender::failed))
                .orElse(null);
    }

    @Override
    public void hear(Consumer<Collection<Nudge>> heard) {
        lock.lock();
        try {
            if (listener == null && DataSources.hasOneToSpare(dataSource)) {
                listener = new NudgeListener(
                        dataSource, new NudgeListener.Station(name, self, audience, Audience.PRESENCE), heard);
                listener.start();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isHeard() {
        return audience.isHeard();
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (listener != null) {
                listener.stop(sender::wakeOwnListener);
                listener = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
