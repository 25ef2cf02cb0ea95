package dev.durable.store.postgres.internal.nudge;

import dev.durable.store.Nudges.Nudge;
import dev.durable.store.postgres.internal.sql.DataSources;
import dev.durable.store.postgres.internal.sql.NudgePassage;
import dev.durable.store.postgres.internal.sql.PooledConnection;
import dev.durable.store.postgres.internal.sql.SchemaName;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Sends and receives nudges by NOTIFY and LISTEN, on the channel whose name stands in the schema's table {@code
 * installation}. PostgreSQL requires no right to use a channel, so the channel is protected by its random name, which
 * only users that may read the schema know. The name is read again after a while, as an adoption changes it.
 */
public final class NotifyChannel implements NudgeChannel {
    /** The time after which the name of the channel is read again before it is used. */
    private static final long FRESH_NANOS =
            ListenerPresence.PRESENCE.multipliedBy(2).toNanos();

    private final DataSource dataSource;
    private final String readName;
    private final String self = UUID.randomUUID().toString();
    private final ListenerPresence presence = new ListenerPresence(System::nanoTime);
    private final NudgeSender sender;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable NudgeListener listener;
    private volatile @Nullable Name known;

    private record Name(String value, long readAt) {}

    public NotifyChannel(DataSource dataSource, SchemaName schema) {
        this.dataSource = dataSource;
        this.readName = "select i.channel from " + schema.quoted() + ".installation i";
        NudgeSender.Wire wire = payloads -> {
            try (PooledConnection borrowed = PooledConnection.from(dataSource)) {
                String name = fresh();
                NudgeMessage.notify(borrowed.connection(), name == null ? read(borrowed.connection()) : name, payloads);
            }
        };
        this.sender = new NudgeSender(self, presence, wire, NudgeSender.threadOnDemand(), System::nanoTime);
    }

    @Override
    public void send(Collection<? extends Nudge> nudges) {
        sender.add(nudges);
    }

    @Override
    public @Nullable NudgePassage passage(Collection<? extends Nudge> nudges) {
        String name = fresh();
        if (name == null) {
            return null;
        }
        return sender.takeAtOnce(nudges)
                .map(payload ->
                        new NudgePassage(NudgeMessage.statement(name, payload), sender::succeeded, sender::failed))
                .orElse(null);
    }

    /** The name of the channel; null if it has to be read. */
    private @Nullable String fresh() {
        Name name = known;
        return name != null && System.nanoTime() - name.readAt() < FRESH_NANOS ? name.value() : null;
    }

    private String read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(readName)) {
            row.next();
            Name read = new Name(row.getString(1), System.nanoTime());
            known = read;
            return read.value();
        }
    }

    @Override
    public void hear(Consumer<Collection<Nudge>> heard) {
        lock.lock();
        try {
            if (listener == null && DataSources.hasOneToSpare(dataSource)) {
                listener = new NudgeListener(
                        dataSource,
                        new NudgeListener.Station(this::read, self, presence, ListenerPresence.PRESENCE),
                        heard);
                listener.start();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isHeard() {
        return presence.isHeard();
    }

    @Override
    public Optional<String> trouble() {
        NudgeListener listening = listener;
        return listening == null ? Optional.empty() : listening.trouble();
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
