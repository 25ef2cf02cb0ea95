package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.ClaimedJob;
import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.JobUpdate;
import dev.durable.store.contract.Outcomes;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import dev.durable.store.contract.Writer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All updates and orders for an activity's job, at every point of its life: the answer, and the state of the database
 * afterwards. Updates under a lease have that of the first attempt; orders that depend on the state of the job that was
 * read before have seen the first attempt running.
 *
 * <p>A cell reads {@code answer: state attempt, flags, messages in the inbox}; gone is no job. Invariants of the whole
 * database are checked after each cell.
 */
@Tag("slow")
class JobRaceMatrixTest extends StoreContract {
    private static final Duration HOUR = Duration.ofHours(1);

    private static final String MATRIX = """
                   | before claim                    | running                           | retry waiting                   | next attempt runs         | after close
    complete       | STALE: ready 1                  | ACCEPTED: gone, ActivityCompleted | STALE: delayed 2                | STALE: running 2          | STALE: gone
    fail           | STALE: ready 1                  | ACCEPTED: delayed 2               | STALE: delayed 2                | STALE: running 2          | STALE: gone
    not read       | STALE: ready 1                  | ACCEPTED: ready 1                 | STALE: delayed 2                | STALE: running 2          | STALE: gone
    heartbeat      | STALE: ready 1                  | ACCEPTED: running 1, details      | STALE: delayed 2                | STALE: running 2          | STALE: gone
    update timeout | CHANGED: ready 1                | APPLIED: running 1, deadline      | CHANGED: delayed 2              | CHANGED: running 2        | NOT_FOUND: gone
    cancel         | APPLIED_MORE: gone, ActivityCancelled | APPLIED: running 1, cancel  | APPLIED_MORE: gone, ActivityCancelled | APPLIED: running 2, cancel | FENCE_LOST: gone
    timeout        | 1: gone, ActivityTimedOut       | 0: running 1                      | 1: gone, ActivityTimedOut       | 0: running 2              | 0: gone
    session loss   | 0: ready 1                      | 1: ready 1, crash                 | 0: delayed 2                    | 0: running 2              | 0: gone
    pause          | APPLIED: paused 1               | APPLIED: running 1, paused        | APPLIED: paused 2               | APPLIED: running 2, paused | NOT_FOUND: gone
    operator retry | UNCHANGED: ready 1              | REFUSED: running 1                | APPLIED: ready 2                | REFUSED: running 2        | NOT_FOUND: gone
    """;

    private Writer run;
    /** The lease of the first attempt; a random one for a job that has not begun. */
    private UUID lease = UUID.randomUUID();

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    static Stream<Arguments> cells() {
        List<String[]> rows = MATRIX.lines().map(line -> line.split("\\|")).toList();
        return rows.stream()
                .skip(1)
                .flatMap(row -> IntStream.range(1, row.length)
                        .mapToObj(i -> Arguments.of(row[0].strip(), rows.getFirst()[i].strip(), row[i].strip())));
    }

    @ParameterizedTest(name = "{0}, {1} -> {2}")
    @MethodSource("cells")
    void ends_as_the_table_says(String act, String when, String expected) {
        bring(when);

        String answer = act(act);

        assertThat(answer + ": " + found()).isEqualTo(expected);
    }

    private void bring(String when) {
        run = scheduled("order-1", 1);
        if (when.equals("before claim")) {
            return;
        }
        ClaimedJob first = claimJob(session);
        lease = first.lease();
        switch (when) {
            case "running" -> {}
            case "retry waiting" -> update(retry(first, HOUR));
            case "next attempt runs" -> {
                update(retry(first, Duration.ZERO));
                claimJob(openSession());
            }
            case "after close" -> terminated(run.run());
            default -> throw new IllegalArgumentException(when);
        }
    }

    private String act(String act) {
        JobKey key = new JobKey(run.run(), 1);
        return switch (act) {
            case "complete" -> update(Outcomes.completed(key, lease)).name();
            case "fail" ->
                update(new JobUpdate.Retry(key, lease, HOUR, 2, "[]", "declined", null, null))
                        .name();
            case "not read" ->
                update(new JobUpdate.Unread(key, lease, Duration.ZERO, "[]", "unfit"))
                        .name();
            case "heartbeat" ->
                update(new JobUpdate.Heartbeat(key, lease, "{\"row\":1}")).name();
            case "update timeout" ->
                order(new JobOrder.UpdateTimeout(
                        key,
                        JobOrder.Trace.NONE,
                        new JobOrder.Seen(lease, 1, 0),
                        store.now().plus(HOUR)));
            case "cancel" -> run.write(run.step().cancels(1)).name();
            case "timeout" -> {
                advance(HOUR.plusSeconds(1));
                yield Integer.toString(store.timeOutWaiting(10));
            }
            case "session loss" -> {
                store.markDead(session, 0);
                yield Integer.toString(store.requeueOrphans(10));
            }
            case "pause" -> order(new JobOrder.Pause(key, JobOrder.Trace.NONE));
            case "operator retry" -> order(new JobOrder.RetryNow(key, JobOrder.Trace.NONE));
            default -> throw new IllegalArgumentException(act);
        };
    }

    private String order(JobOrder order) {
        return store.order(List.of(order)).getFirst().name();
    }

    private static String found() {
        List<String> job = Sql.column(PostgresFixture.pool(), """
                select concat_ws(', ', (array['ready', 'delayed', 'running', 'dead', 'paused', 'external'])[j.state + 1]
                           || ' ' || j.attempt,
                       case when j.cancel_requested then 'cancel' end, case when j.crashes > 0 then 'crash' end,
                       case when j.paused and j.state <> 4 then 'paused' end,
                       case when j.deadline is not null then 'deadline' end,
                       (select 'details' from durable.activity_heartbeat h where h.run_id = j.run_id and h.seq = j.seq))
                  from durable.activity_job j""");
        List<String> messages = Sql.column(PostgresFixture.pool(), "select name from durable.inbox order by at, ord");
        return Stream.of(job.isEmpty() ? List.of("gone") : job, messages)
                .flatMap(List::stream)
                .collect(Collectors.joining(", "));
    }
}
