package dev.durable.store.postgres.internal.nudge;

import dev.durable.StoreUnavailableException;
import dev.durable.internal.observe.OutageLog;
import dev.durable.store.Nudges.HearingBegins;
import dev.durable.store.Nudges.Nudge;
import dev.durable.store.Nudges.RulesChanged;
import dev.durable.store.postgres.internal.sql.BackOff;
import dev.durable.store.postgres.internal.sql.PooledConnection;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for the nudges of other processes on a connection of its own, which it reopens when it is lost.
 *
 * <pre>
 *   connect ─► LISTEN ─► ask for others ───► wait ─┬─ heard ─► pass on, answer ───────┐
 *      ▲                                       ▲   └─ every 10 s ─► say "here" ───────┤
 *      └──── back-off ◄──── any error          └──────────────────────────────────────┘
 * </pre>
 *
 * It announces itself however many messages it hears: by its announcements other processes know of this one, and this
 * one learns that its connection works.
 */
final class NudgeListener {
    private static final Logger log = LoggerFactory.getLogger(NudgeListener.class);
    private static final long STOP_MILLIS = 1_000;
    /** The shortest time between two announcements of changed rules. */
    private static final long RULES_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** The time without a working connection after which it is a problem. */
    private static final long DEAF_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final Nudge RULES = new RulesChanged();
    private static final String WHO = "the listener (work of other processes is found by polling)";

    private final DataSource dataSource;
    private final Station station;
    private final Consumer<Collection<Nudge>> nudged;
    private final Thread thread = Thread.ofPlatform()
            .daemon()
            .name("durable-listen")
            .inheritInheritableThreadLocals(false)
            .unstarted(this::run);
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final BackOff backOff = new BackOff();
    private final OutageLog outages = new OutageLog(log, System::nanoTime);
    private volatile @Nullable PooledConnection open;
    private volatile @Nullable Deaf deaf;
    private boolean heardMyself;
    private boolean rulesPending;
    private long rulesPassedAt = System.nanoTime() - RULES_NANOS;

    /**
     * The channel of a listener, and the interval of its announcements.
     *
     * @param channel reads the channel's name on a connection
     * @param self the sender in messages of this process, which are passed over
     * @param others takes note that other processes are heard
     * @param interval between two announcements that it is there
     */
    record Station(Channel channel, String self, ListenerPresence others, Duration interval) {}

    /**
     * The time since which nothing can be heard, and the reason.
     *
     * @param since on the monotonic clock
     * @param why the failure of the last try
     */
    private record Deaf(long since, String why) {}

    /** Reads the present name of the channel. */
    @FunctionalInterface
    interface Channel {
        String name(Connection connection) throws SQLException;
    }

    NudgeListener(DataSource dataSource, Station station, Consumer<Collection<Nudge>> nudged) {
        this.dataSource = dataSource;
        this.station = station;
        this.nudged = nudged;
    }

    void start() {
        thread.start();
    }

    /** Ends the thread and gives the connection back; {@code wake} sends a message that it hears. */
    void stop(Runnable wake) {
        stopping.countDown();
        wake.run();
        try {
            if (!thread.join(Duration.ofMillis(STOP_MILLIS))) {
                abort();
                thread.join(STOP_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (!isStopping()) {
            try (PooledConnection borrowed = PooledConnection.from(dataSource)) {
                open = borrowed;
                // The last listener may have left while this thread waited for a connection.
                if (!isStopping()) {
                    listen(borrowed);
                }
            } catch (SQLException | RuntimeException e) {
                pauseAfter(e);
            } finally {
                open = null;
            }
        }
    }

    private void listen(PooledConnection borrowed) throws SQLException {
        try (PromptNotifications unused = PromptNotifications.on(borrowed.connection())) {
            String channel = station.channel.name(borrowed.connection());
            execute(borrowed, "listen \"" + channel.replace("\"", "\"\"") + "\"");
            hearFromNowOn(borrowed, channel);
        } finally {
            // The connection belongs to the pool: its settings are restored, and a broken one is marked as such.
            execute(borrowed, "unlisten *");
        }
    }

    private void hearFromNowOn(PooledConnection borrowed, String channel) throws SQLException {
        station.others.listening(true);
        try {
            nudged.accept(List.of(new HearingBegins()));
            hear(borrowed, channel);
        } finally {
            station.others.listening(false);
        }
    }

    /** Listens until it is to stop, or the channel has another name. */
    private void hear(PooledConnection borrowed, String channel) throws SQLException {
        say(borrowed, channel, NudgeMessage.ask(station.self));
        PGConnection postgres = borrowed.connection().unwrap(PGConnection.class);
        long said = System.nanoTime();
        while (!isStopping()) {
            long left = Math.min(station.interval.toNanos() - (System.nanoTime() - said), untilRules());
            // A timeout of zero would wait for ever.
            PGNotification[] heard = postgres.getNotifications(Math.max(1, (int) TimeUnit.NANOSECONDS.toMillis(left)));
            backOff.succeeded();
            outages.answered(WHO);
            deaf = null;
            if (heard != null && heard.length > 0) {
                take(borrowed, channel, heard);
            }
            passRules();
            if (!isStopping() && System.nanoTime() - said >= station.interval.toNanos()) {
                warnIfNothingArrives();
                if (!station.channel.name(borrowed.connection()).equals(channel)) {
                    return;
                }
                say(borrowed, channel, station.self);
                said = System.nanoTime();
            }
        }
    }

    /** Passes on nudges that arrive together as one batch. */
    private void take(PooledConnection borrowed, String channel, PGNotification[] heard) throws SQLException {
        Set<Nudge> nudges = new LinkedHashSet<>();
        boolean asked = false;
        for (PGNotification notification : heard) {
            NudgeMessage message = NudgeMessage.decode(notification.getParameter());
            if (message.sender().equals(station.self)) {
                heardMyself = true;
                station.others.heardSelf();
            } else {
                station.others.heard();
                asked |= message.asks();
                nudges.addAll(message.nudges());
            }
        }
        if (asked) {
            say(borrowed, channel, station.self);
        }
        rulesPending |= nudges.remove(RULES);
        nudged.accept(nudges);
    }

    private long untilRules() {
        return rulesPending ? RULES_NANOS - (System.nanoTime() - rulesPassedAt) : Long.MAX_VALUE;
    }

    /** Passes on that rules have changed, but not at each such nudge, as listeners then read the rules of queues. */
    private void passRules() {
        if (untilRules() <= 0) {
            rulesPending = false;
            rulesPassedAt = System.nanoTime();
            nudged.accept(List.of(RULES));
        }
    }

    private static void say(PooledConnection borrowed, String channel, String payload) throws SQLException {
        NudgeMessage.notify(borrowed.connection(), channel, List.of(payload));
    }

    private void warnIfNothingArrives() {
        if (!heardMyself) {
            heardMyself = true;
            log.warn("what this process notifies is not heard here: processes find work of others by polling only."
                    + " Usual cause: a pooler in transaction mode. Open the store with notify(false), or give it a"
                    + " DataSource that bypasses the pooler.");
        }
    }

    private void pauseAfter(Exception e) {
        if (isStopping()) {
            return;
        }
        long pause = backOff.failed();
        StoreUnavailableException lost = StoreErrors.lostHint(e);
        outages.failed(WHO, lost);
        Deaf before = deaf;
        deaf = new Deaf(before == null ? System.nanoTime() : before.since(), String.valueOf(lost.getMessage()));
        try {
            stopping.await(pause, TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            stopping.countDown();
        }
    }

    /** The reason why it has heard nothing for a minute, if so. */
    Optional<String> trouble() {
        Deaf now = deaf;
        long nanos = now == null ? 0 : System.nanoTime() - now.since();
        return now == null || nanos < DEAF_NANOS
                ? Optional.empty()
                : Optional.of("this process has not been able to listen for the work of others for "
                        + TimeUnit.NANOSECONDS.toSeconds(nanos) + " s, and finds it by polling only: " + now.why()
                        + " Where the server or a pooler does not let it listen, open the store with notify(false).");
    }

    private boolean isStopping() {
        return stopping.getCount() == 0;
    }

    /** Closes the socket of a database that does not answer, as only that ends a blocked read. */
    private void abort() {
        PooledConnection borrowed = open;
        try {
            if (borrowed != null) {
                borrowed.connection().abort(Runnable::run);
            }
        } catch (SQLException e) {
            log.debug("the listening connection could not be cut", e);
        }
    }

    private static void execute(PooledConnection borrowed, String sql) throws SQLException {
        try (var statement = borrowed.connection().createStatement()) {
            statement.execute(sql);
        }
    }
}
