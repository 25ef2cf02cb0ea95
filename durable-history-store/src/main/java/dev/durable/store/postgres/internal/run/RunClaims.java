package dev.durable.store.postgres.internal.run;

import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.ClaimedRun;
import dev.durable.store.ClaimedRuns;
import dev.durable.store.InboxMessage;
import dev.durable.store.Portion;
import dev.durable.store.RunClaim;
import dev.durable.store.RunKey;
import dev.durable.store.StoredEvent;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
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
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Claims due runs under a new fence and reads the messages and histories that they need, in one round trip. What a
 * claim took whose reply was lost can be claimed by everybody when owned_until has passed, and before that its own
 * session's next claim takes it, which knows the fence. A commit that the server forgets when it breaks down needs
 * nothing, so nobody waits for the disk here: whatever is written under the claim's fence comes behind it in the log,
 * and without the claim it finds the fence before.
 */
public final class RunClaims {
    private static final UUID START = new UUID(0, 0);
    /** Runs with messages looked at in one claim, beyond those asked for: some will be owned or locked. */
    private static final int LOOK_AHEAD = 64;
    /** Of one claim; what lies behind thousands of runs that others own is looked at by the next. */
    private static final int MOST_SCANS = 8;

    private final Connections connections;
    /** Where the scan of each queue's inbox ended: the next goes on from there, so that no run is passed over for ever. */
    private final Map<String, UUID> cursors = new ConcurrentHashMap<>();

    public RunClaims(Connections connections) {
        this.connections = connections;
    }

    /**
     * Scans on while it finds nothing. What it has claimed it gives at once: were it to go on and break off, nobody would
     * know of it. Then whoever asks comes again, and since each time something was claimed this comes to an end.
     */
    public ClaimedRuns claim(RunClaim claim) {
        List<String> queues = claim.taskQueues().stream().sorted().toList();
        Duration retryIn = null;
        Instant nextDue = null;
        boolean fromStart = false;
        for (int scans = 0; scans < MOST_SCANS; scans++) {
            Scan scan = scan(claim, queues);
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

    private Scan scan(RunClaim claim, List<String> queues) {
        int look = claim.limit() + LOOK_AHEAD;
        boolean resumed = queues.stream().anyMatch(cursors::containsKey);
        Scan scan = connections.transaction(TransactionSettings.CLAIM, tx -> {
            Scan once = new Scan(resumed, look);
            tx.last(new SqlScript()
                    .read(ClaimSql.RUNS, once::read, params(claim, queues, look))
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

    private Param[] params(RunClaim claim, List<String> queues, int look) {
        Param queueNames = texts(queues, q -> q);
        Param types = texts(List.copyOf(claim.types()), t -> t);
        Param ownedFor = Param.of(claim.ownedFor().toMillis());
        Param needs = Param.of(claim.needs());
        Param limit = Param.of(claim.limit());
        Param session = Param.of(claim.session());
        Param lost = uuids(List.copyOf(claim.lost()), fence -> fence);
        return new Param[] {
            queueNames,
            lost,
            ownedFor,
            types,
            needs,
            limit,
            queueNames,
            uuids(queues, q -> cursors.getOrDefault(q, START)),
            Param.of(look),
            session,
            lost,
            ownedFor,
            types,
            needs,
            session,
            limit,
            Param.of(claim.fence()),
            ownedFor,
            session,
            Param.of(ClaimedRuns.MAX_EVENTS),
            session,
            Param.of(ClaimedRuns.SHORT_HISTORY + 1),
            limit,
            queueNames
        };
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
                row.getInt("stalls"));
    }

    /** What one scan found. */
    private static final class Scan {
        private final int look;
        private final List<ClaimedRun> claimed = new ArrayList<>();
        private final Map<UUID, List<InboxMessage>> messages = new HashMap<>();
        private final Map<UUID, List<StoredEvent>> histories = new HashMap<>();
        private final Map<String, UUID> last = new HashMap<>();
        /** It did not begin at the beginning. */
        private final boolean resumed;
        /** It saw the last run with messages. */
        private boolean ended = true;
        /** When the runs that are left to other processes can be claimed by everybody. */
        private @Nullable Duration retryIn;

        private @Nullable Instant nextDue;

        Scan(boolean resumed, int look) {
            this.resumed = resumed;
            this.look = look;
        }

        /** A claimed run, or when to look again, or where the scan of a queue's inbox ended. */
        private void read(ResultSet row) throws SQLException {
            String scanned = row.getString("scanned_queue");
            if (row.getObject("retry_in") != null) {
                retryIn = Duration.ofMillis(row.getLong("retry_in"));
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
