package dev.durable.store.postgres.internal.run;

import static dev.durable.store.postgres.internal.sql.Param.bools;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.StoreRefusedException;
import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.internal.text.Portion;
import dev.durable.store.BuildRamps;
import dev.durable.store.ClaimedRun;
import dev.durable.store.ClaimedRuns;
import dev.durable.store.RunClaim;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.RefusedRows;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Claims due runs under a new fence and reads the messages and histories that they need, in one round trip. The runs of
 * a claim whose reply was lost can be claimed by any session when owned_until has passed, and before that by the next
 * claim of the same session, which knows the fence. The commit does not wait for the disk, as no repair is needed if
 * the server forgets it when it breaks down: all that is written under the claim's fence comes later in the WAL, and
 * without the claim the run has the fence from before.
 */
public final class RunClaims {
    private static final UUID START = new UUID(0, 0);
    /** How many runs with messages one claim reads beyond those asked for, as some will be owned or locked. */
    private static final int LOOK_AHEAD = 64;
    /** The number of scans of one claim; runs behind thousands of runs that others own are left to the next claim. */
    private static final int MOST_SCANS = 8;

    private final Connections connections;
    /**
     * The run at which the scan of each queue's inbox ended: the next scan goes on from there, so that no run is
     * skipped for ever.
     */
    private final Map<String, UUID> cursors = new ConcurrentHashMap<>();

    private final RefusedRows<UUID> refused;

    public RunClaims(Connections connections, LongSupplier nanoTime) {
        this.connections = connections;
        this.refused = new RefusedRows<>("run", nanoTime);
    }

    /**
     * Claims runs, and scans on only while it finds none: it returns the runs that it has claimed at once, because if
     * it went on and failed, the caller would not know of them. The caller then claims again, and as each time some run
     * was claimed, this ends.
     */
    public ClaimedRuns claim(RunClaim claim) {
        List<String> queues = claim.taskQueues().stream().sorted().toList();
        Duration retryIn = null;
        Instant nextDue = null;
        boolean fromStart = false;
        for (int scans = 0; scans < MOST_SCANS; scans++) {
            Scan scan = refused.take(
                    claim.limit(),
                    (most, without) -> scan(new Wanted(claim, queues, most, without)),
                    found -> !found.claimed.isEmpty(),
                    new RefusedRun(claim, queues));
            nextDue = scan.nextDue;
            retryIn = earlier(retryIn, scan.retryIn);
            fromStart |= !scan.resumed;
            boolean all = scan.ended && fromStart && scan.claimed.size() < claim.limit();
            if (all || !scan.claimed.isEmpty()) {
                return scan.got(all ? retryIn : Duration.ZERO);
            }
        }
        return ClaimedRuns.none(retryIn, nextDue);
    }

    private static @Nullable Duration earlier(@Nullable Duration one, @Nullable Duration other) {
        return one == null || (other != null && other.compareTo(one) < 0) ? other : one;
    }

    private record Wanted(RunClaim claim, List<String> queues, int limit, Set<UUID> without) {
        int look() {
            return limit + LOOK_AHEAD;
        }

        String runs() {
            if (hasNoShare()) {
                return without(claim.anyType() ? ClaimSql.NO_RUNS_OF_ANY_TYPE : ClaimSql.NO_RUNS);
            }
            return without(
                    isShared()
                            ? claim.anyType() ? ClaimSql.SHARED_RUNS_OF_ANY_TYPE : ClaimSql.SHARED_RUNS
                            : claim.anyType() ? ClaimSql.RUNS_OF_ANY_TYPE : ClaimSql.RUNS);
        }

        String first() {
            if (hasNoShare()) {
                return without(claim.anyType() ? ClaimSql.FIRST_OF_NO_RUNS_OF_ANY_TYPE : ClaimSql.FIRST_OF_NO_RUNS);
            }
            return without(
                    isShared()
                            ? claim.anyType() ? ClaimSql.FIRST_SHARED_OF_ANY_TYPE : ClaimSql.FIRST_SHARED
                            : claim.anyType() ? ClaimSql.FIRST_OF_ANY_TYPE : ClaimSql.FIRST);
        }

        boolean isShared() {
            return !claim.shares().isEmpty();
        }

        /** Returns whether the build gets no unpinned runs of any of the queues, however long they wait. */
        private boolean hasNoShare() {
            return isShared()
                    && queues.stream()
                            .map(claim::share)
                            .allMatch(share -> share.strict() && share.from() >= share.to());
        }

        /** The shares as parameters of the selection of due runs, whose text has none where the build has no share. */
        List<Param> dueShares() {
            return hasNoShare() ? List.of() : shares();
        }

        /** Returns the parameters that say which runs are in the share of the claimer; none where there are no ramps. */
        List<Param> shares() {
            if (!isShared()) {
                return List.of();
            }
            List<BuildRamps.Share> shares = queues.stream().map(claim::share).toList();
            return List.of(
                    texts(queues, queue -> queue),
                    shorts(shares, BuildRamps.Share::from),
                    shorts(shares, BuildRamps.Share::to),
                    bools(shares, BuildRamps.Share::strict));
        }

        private String without(String sql) {
            return without.isEmpty() ? sql : ClaimSql.without(sql);
        }
    }

    /** Finds the run whose claim is refused. No row can record that, so the run is only left out. */
    private final class RefusedRun implements RefusedRows.Kind<UUID> {
        private final RunClaim claim;
        private final List<String> queues;

        RefusedRun(RunClaim claim, List<String> queues) {
            this.claim = claim;
            this.queues = queues;
        }

        @Override
        public Optional<UUID> first(Set<UUID> without) {
            Wanted one = new Wanted(claim, queues, 1, without);
            return connections.transaction(TransactionSettings.CLAIM, tx -> {
                List<UUID> found = new ArrayList<>();
                tx.last(new SqlScript()
                        .read(
                                one.first(),
                                row -> found.add(row.getObject("run_id", UUID.class)),
                                candidates(one).toArray(Param[]::new)));
                return found.stream().findFirst();
            });
        }

        @Override
        public boolean setAside(UUID run, StoreRefusedException why) {
            return false;
        }
    }

    private Scan scan(Wanted wanted) {
        List<String> queues = wanted.queues;
        int look = wanted.look();
        boolean resumed = queues.stream().anyMatch(cursors::containsKey);
        Scan scan = connections.transaction(TransactionSettings.CLAIM, tx -> {
            Scan once = new Scan(resumed, look);
            tx.last(new SqlScript()
                    .read(wanted.runs(), once::read, params(wanted))
                    .read(
                            ClaimSql.MESSAGES,
                            row -> RunReads.addMessage(once.messages, row),
                            Param.of(ClaimedRuns.MAX_MESSAGES),
                            Param.of((long) Portion.BYTES))
                    .read(ClaimSql.HISTORIES, row -> RunReads.addEvent(once.histories, row), Param.of((long)
                            Portion.BYTES)));
            return once;
        });
        queues.forEach(cursors::remove);
        if (!scan.ended) {
            cursors.putAll(scan.last);
        }
        return scan;
    }

    private Param[] params(Wanted wanted) {
        RunClaim claim = wanted.claim;
        Param session = Param.of(claim.session());
        List<Param> params = candidates(wanted);
        params.addAll(List.of(
                Param.of(claim.fence()),
                Param.of(claim.ownedFor().toMillis()),
                session,
                Param.of(ClaimedRuns.MAX_EVENTS),
                session,
                Param.of(ClaimedRuns.SHORT_HISTORY + 1),
                Param.of(wanted.limit),
                texts(wanted.queues, q -> q),
                session));
        params.addAll(wanted.shares());
        if (wanted.isShared()) {
            params.add(wanted.shares().getLast());
        }
        return params.toArray(Param[]::new);
    }

    /** The parameters of the part of the claim that selects runs. */
    private List<Param> candidates(Wanted wanted) {
        RunClaim claim = wanted.claim;
        Param queueNames = texts(wanted.queues, q -> q);
        Param limit = Param.of(wanted.limit);
        Param session = Param.of(claim.session());
        List<Param> claimable = new ArrayList<>(List.of(
                uuids(List.copyOf(claim.lost()), fence -> fence),
                Param.of(claim.ownedFor().toMillis()),
                session,
                texts(List.copyOf(claim.types()), t -> t)));
        if (!wanted.without.isEmpty()) {
            claimable.add(uuids(List.copyOf(wanted.without), id -> id));
        }
        List<Param> params = new ArrayList<>(List.of(queueNames));
        params.addAll(wanted.dueShares());
        params.addAll(claimable);
        params.addAll(List.of(limit, queueNames, session));
        params.addAll(claimable);
        params.addAll(List.of(
                limit,
                queueNames,
                uuids(wanted.queues, q -> cursors.getOrDefault(q, START)),
                Param.of(wanted.look()),
                session));
        params.addAll(claimable);
        params.add(session);
        params.addAll(wanted.shares());
        params.addAll(List.of(session, limit));
        return params;
    }

    private static ClaimedRun claimed(ResultSet row) throws SQLException {
        return new ClaimedRun(
                new RunKey(row.getObject("run_id", UUID.class), row.getString("workflow_id")),
                row.getString("type"),
                row.getString("task_queue"),
                row.getObject("fence", UUID.class),
                row.getObject("previous_fence", UUID.class),
                row.getLong("next_event_id"),
                TimeColumns.instant(row, "wake_at"),
                row.getBoolean("closing"),
                row.getInt("stalls"),
                row.getString("build"));
    }

    private static final class Scan {
        private final int look;
        private final List<ClaimedRun> claimed = new ArrayList<>();
        private final Map<UUID, List<InboxMessage>> messages = new HashMap<>();
        private final Map<UUID, List<StoredEvent>> histories = new HashMap<>();
        private final Map<String, UUID> last = new HashMap<>();
        /** True if the scan did not begin at the first run. */
        private final boolean resumed;
        /** True if it reached the last run with messages. */
        private boolean ended = true;
        /** How long until the runs that are left to other processes can be claimed by any session. */
        private @Nullable Duration retryIn;

        private @Nullable Instant nextDue;

        Scan(boolean resumed, int look) {
            this.resumed = resumed;
            this.look = look;
        }

        /** Reads a row: a claimed run, or when to claim again, or where the scan of a queue's inbox ended. */
        private void read(ResultSet row) throws SQLException {
            String scanned = row.getString("scanned_queue");
            if (row.getObject("retry_in") != null) {
                retryIn = earlier(retryIn, Duration.ofMillis(row.getLong("retry_in")));
            } else if (row.getObject("next_due") != null) {
                nextDue = TimeColumns.required(row, "next_due");
            } else if (scanned == null) {
                claimed.add(claimed(row));
            } else {
                last.put(scanned, row.getObject("run_id", UUID.class));
                ended &= row.getInt("scanned") < look;
            }
        }

        ClaimedRuns got(@Nullable Duration again) {
            return new ClaimedRuns(claimed, messages, histories, again, nextDue);
        }
    }
}
