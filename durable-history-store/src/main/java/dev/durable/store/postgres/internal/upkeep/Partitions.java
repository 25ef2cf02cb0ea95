package dev.durable.store.postgres.internal.upkeep;

import dev.durable.DurableException;
import dev.durable.store.RunIds;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.SqlState;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the monthly partitions of {@code history_event} and {@code stream_entry} ahead of time. There is no DEFAULT
 * partition for other rows; a start that finds no partition creates its own.
 *
 * <p>The creation of a partition waits only for other changes of the history's table, and no statement waits behind it:
 * reads and writes go on. A partition that was dropped or detached with old runs is not created again, as events
 * appended to these runs would follow no history.
 */
public final class Partitions {
    private static final Logger log = LoggerFactory.getLogger(Partitions.class);
    private static final String ADD = """
            select durable.add_history_partitions(durable.clock() - interval '1 day', durable.clock() + interval '70 days')
                as made""";
    /** Detached partitions of both tables. A table that has the name of a partition and is none does not count. */
    private static final String DETACHED = """
            select string_agg(c.relname, ', ' order by c.relname) as detached from pg_class c
             where c.relnamespace = (select p.relnamespace from pg_class p where p.oid = 'durable.history_event'::regclass)
               and c.relkind = 'r' and c.relname ~ '^(history_event|stream_entry)_[0-9]{4}_[0-9]{2}(_[0-9]+|)$'
               and not c.relispartition""";

    /**
     * Partitions that this library has not created: they are not named by the month whose runs they take, or have more
     * than that month.
     */
    private static final String OF_OTHERS = """
            from (select c.relname as name, parent.relname as parent, durable.history_bound(b.bounds, false) as lowest,
                         durable.history_bound(b.bounds, true) as beyond
                    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class parent on parent.oid = i.inhparent
                    cross join pg_get_expr(c.relpartbound, c.oid) b(bounds)
                   where i.inhparent in ('durable.history_event'::regclass, 'durable.stream_entry'::regclass)
                     and not i.inhdetachpending) p
              cross join date_trunc('month', durable.run_id_time(p.lowest) at time zone 'UTC') m(month)
             where (p.name ~ ('^' || p.parent || '_' || to_char(m.month, 'YYYY_MM') || '(_[0-9]+|)$')
                    and p.beyond <= durable.run_id_at((m.month + interval '1 month') at time zone 'UTC')) is not true""";

    private static final String OTHERS =
            "select string_agg(p.name || case when p.lowest is null then ' (DEFAULT)' else '' end, ', ' order by p.name)"
                    + " as others " + OF_OTHERS;

    /** Such partitions with runs from one time to another: their names, and whether one is the DEFAULT partition. */
    public static final String OTHERS_BETWEEN =
            "select quote_ident(p.name) || case when p.lowest is null then ' (DEFAULT)' else '' end " + OF_OTHERS
                    + " and (p.lowest is null or p.lowest < durable.run_id_at('%2$s') and p.beyond > durable.run_id_at('%1$s'))"
                    + " order by 1";

    private static final String NOW = "select durable.clock() as now";
    private static final Duration BACK = Duration.ofDays(1);
    private static final Duration AHEAD = Duration.ofDays(70);
    private static final Pattern RUN_ID = Pattern.compile("\\(run_id\\) = \\(([0-9a-f-]{36})\\)");
    private static final int ATTEMPTS = 6;
    private static final long RECENTLY = TimeUnit.MINUTES.toNanos(30);

    private final Connections connections;
    private final LongSupplier nanoTime;
    private volatile long lastMade;
    private final AtomicReference<@Nullable String> toldDetached = new AtomicReference<>();
    private final AtomicReference<@Nullable String> toldOthers = new AtomicReference<>();

    public Partitions(Connections connections) {
        this(connections, System::nanoTime);
    }

    Partitions(Connections connections, LongSupplier nanoTime) {
        this.connections = connections;
        this.nanoTime = nanoTime;
        this.lastMade = nanoTime.getAsLong() - RECENTLY;
    }

    /** Creates the partitions that are missing from yesterday to ten weeks ahead; returns how many. */
    public int add() {
        for (int attempt = 1; ; attempt++) {
            try {
                int made = make();
                lastMade = nanoTime.getAsLong();
                return made;
            } catch (SQLException e) {
                boolean inTheWay = SqlState.of(e) == SqlState.LOCKED || SqlState.of(e) == SqlState.AGAIN;
                if (!inTheWay || attempt == ATTEMPTS) {
                    throw notMade(e);
                }
                Connections.pause(attempt);
            }
        }
    }

    /** As {@link #add}, unless this process has done so just before. */
    public int ahead() {
        return nanoTime.getAsLong() - lastMade < RECENTLY ? 0 : add();
    }

    /**
     * Creates the partition that a run did not find, if it is one of those that are to exist; returns whether to try
     * the write again. Another process may have created it meanwhile.
     */
    public boolean madeFor(SQLException missing) {
        UUID run = runOf(missing);
        if (run == null) {
            return false;
        }
        Instant now = connections.read(TransactionSettings.SHORT, tx -> {
            AtomicReference<@Nullable Instant> read = new AtomicReference<>();
            tx.last(new SqlScript().read(NOW, row -> read.set(TimeColumns.required(row, "now"))));
            return Objects.requireNonNull(read.get());
        });
        Instant at = RunIds.time(run);
        if (at.isBefore(now.minus(BACK)) || at.isAfter(now.plus(AHEAD))) {
            return false;
        }
        log.info("the history has no partition for run {} of {}; making it", run, at);
        add();
        return true;
    }

    private int make() throws SQLException {
        AtomicInteger made = new AtomicInteger();
        connections.attempt(TransactionSettings.LONG, tx -> {
            tx.last(new SqlScript()
                    .read(ADD, row -> made.set(row.getInt("made")))
                    .read(DETACHED, row -> tellOfDetached(row.getString("detached")))
                    .read(OTHERS, row -> tellOfOthers(row.getString("others"))));
            return true;
        });
        if (made.get() > 0) {
            log.info("made {} history partitions", made.get());
        }
        return made.get();
    }

    /** Warns once for each set of detached partitions that is found. */
    private void tellOfDetached(@Nullable String tables) {
        if (!Objects.equals(toldDetached.getAndSet(tables), tables) && tables != null) {
            String schema = connections.schema().quoted();
            log.warn(
                    "{} in schema {}: detached and not dropped, so the histories in there, or the entries of streams, are not"
                            + " seen. What open runs need the owner of the schema copies back, insert into {}.history_event"
                            + " select * from {}.<table> (or into {}.stream_entry), or attaches again where no other partition"
                            + " was made in its place. Drop or rename what is not needed any more.",
                    tables,
                    schema,
                    schema,
                    schema,
                    schema);
        }
    }

    /** Warns once, and again if others are found. */
    private void tellOfOthers(@Nullable String tables) {
        if (!Objects.equals(toldOthers.getAndSet(tables), tables) && tables != null) {
            log.warn(
                    "{} in schema {}: partitions that Durable has not made, with bounds of their own. Partitions are"
                            + " made for what they leave of each month, and HistoryPartitions.drop(…) drops no month that they"
                            + " have runs of: detach and drop them yourself. Beside a DEFAULT partition nothing can be detached"
                            + " concurrently, and none is made once it has rows, as the server would read it whole while"
                            + " all writers wait: move its rows to partitions of their months, then drop it.",
                    tables,
                    connections.schema().quoted());
        }
    }

    private RuntimeException notMade(SQLException e) {
        if (!StoreErrors.isDenied(e)) {
            return connections.failures().of(e);
        }
        String schema = connections.schema().quoted();
        return new DurableException(
                "the partitions of the history in the database at "
                        + connections.failures().database() + " can't be made: " + e.getMessage()
                        + ". Usual cause: this database user lacks the role "
                        + connections.failures().workerRole()
                        + ". Grant it, or let the owner of the schema run: select " + schema
                        + ".add_history_partitions(now() - interval '1 day', now() + interval '70 days')",
                e);
    }

    /** The run whose partition is missing, as the server names it; null if it does not. */
    private static @Nullable UUID runOf(SQLException missing) {
        ServerErrorMessage message = missing instanceof PSQLException server ? server.getServerErrorMessage() : null;
        Matcher key = RUN_ID.matcher(message == null || message.getDetail() == null ? "" : message.getDetail());
        return key.find() ? UUID.fromString(key.group(1)) : null;
    }
}
