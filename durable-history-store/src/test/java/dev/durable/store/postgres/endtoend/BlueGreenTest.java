package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Versioning;
import dev.durable.Workflow;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.Builds;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.Sql;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two builds, of two processes each, side by side on one database: runs of a pinned and of an upgrading type are started
 * and signalled all the while, processes of both builds are killed, and the second build is ramped up to 30 and 100 percent
 * and then rolled back, when it goes on with what is pinned to it only.
 *
 * <p>The code of the upgrading type fits the histories of both builds, that of the pinned type does not: a pinned run that
 * comes to the other build stalls.
 */
@Timeout(1_800)
@Isolated("measures delays")
@Tag("slow")
class BlueGreenTest {
    private static final Logger log = LoggerFactory.getLogger(BlueGreenTest.class);
    private static final int RUNS = Integer.getInteger("blue.green.runs", 240);
    private static final int PAUSE = Integer.getInteger("blue.green.pause", 1_200);
    private static final int STEPS = 6;
    /** As long as an average run takes: for so long runs are started. */
    private static final Duration WINDOW = Duration.ofMillis((long) STEPS * PAUSE);

    /** A second where the machine does nothing else; a machine that is shared lets processes stand still for longer. */
    private static final double MOST_SECONDS = Integer.getInteger("blue.green.seconds", 60);
    /** A process that was killed counts as dead one lease after its last beat was seen, which is up to a lease old. */
    private static final double MOST_SECONDS_BEHIND_A_KILL = 2 * 3 + MOST_SECONDS;

    /**
     * The delays of the slowest runs.
     *
     * @param others the seconds that a run took longer than it slept, of those that no killed process had
     * @param behindKills of those that one had
     * @param slowest the events of the slowest run
     */
    private record Delays(double others, double behindKills, List<String> slowest) {}

    @Activity(startToClose = "30s")
    interface Guide {
        long visit(int step);
    }

    /** Records the process that makes each turn. */
    @Workflow(name = "Tour")
    static class BlueTour {
        private final Guide guide;
        private int notes;

        BlueTour(Guide guide) {
            this.guide = guide;
        }

        @Run
        int run(int pause) {
            for (int step = 0; step < STEPS; step++) {
                Durable.sleep(Duration.ofMillis(pause));
                guide.visit(step);
                Durable.sideEffect(Long.class, () -> ProcessHandle.current().pid());
            }
            return notes;
        }

        @Signal
        void note() {
            notes++;
        }
    }

    @Workflow(name = "Tour")
    static class GreenTour extends BlueTour {
        GreenTour(Guide guide) {
            super(guide);
        }

        @Override
        @Run
        int run(int pause) {
            return super.run(pause);
        }
    }

    /** Records the process that makes each turn. */
    @Workflow(name = "PinnedTour", versioning = Versioning.PINNED)
    static class BluePinnedTour {
        private final Guide guide;

        BluePinnedTour(Guide guide) {
            this.guide = guide;
        }

        @Run
        String run(int pause) {
            for (int step = 0; step < STEPS; step++) {
                Durable.sleep(Duration.ofMillis(pause));
                guide.visit(step);
                Durable.sideEffect(Long.class, () -> ProcessHandle.current().pid());
            }
            return "blue";
        }

        @Signal
        void note() {}
    }

    /** The workflow type of {@link BlueTour} as the second build has it: it makes a side effect before it sleeps. */
    @Workflow(name = "PinnedTour", versioning = Versioning.PINNED)
    static class GreenPinnedTour {
        private final Guide guide;

        GreenPinnedTour(Guide guide) {
            this.guide = guide;
        }

        @Run
        String run(int pause) {
            for (int step = 0; step < STEPS; step++) {
                Durable.sideEffect(Long.class, () -> ProcessHandle.current().pid());
                Durable.sleep(Duration.ofMillis(pause));
                guide.visit(step);
            }
            return "green";
        }

        @Signal
        void note() {}
    }

    private static DurableEngine.Builder worker(DurableEngine.Builder engine, String build) {
        return engine.build(build)
                .identity(Long.toString(ProcessHandle.current().pid()))
                .activity(Guide.class, step -> ProcessHandle.current().pid());
    }

    /** A process of the first build, until it is killed. */
    static final class Blue {
        private Blue() {}

        public static void main(String[] arguments) throws InterruptedException {
            WorkerProcesses.serve(
                    arguments, engine -> worker(engine, "blue").register(BlueTour.class, BluePinnedTour.class));
        }
    }

    /** A process of the second build, until it is killed. */
    static final class Green {
        private Green() {}

        public static void main(String[] arguments) throws InterruptedException {
            WorkerProcesses.serve(
                    arguments, engine -> worker(engine, "green").register(GreenTour.class, GreenPinnedTour.class));
        }
    }

    @Test
    void pinned_runs_end_on_their_build_and_others_move_while_processes_are_killed_and_a_build_is_rolled_back()
            throws Exception {
        Delays delays = new Deployment().play();

        assertThat(delays.others()).as("seconds of %s", delays.slowest()).isLessThan(MOST_SECONDS);
        assertThat(delays.behindKills()).as("seconds").isLessThan(MOST_SECONDS_BEHIND_A_KILL);
    }

    /** A deployment of green beside blue, with a roll-back. */
    private static final class Deployment {
        private final TestDatabase database = TestDatabase.migrated();
        private final WorkerProcesses blue = new WorkerProcesses(database, Blue.class);
        private final WorkerProcesses green = new WorkerProcesses(database, Green.class);
        private final AtomicInteger started = new AtomicInteger();
        private final AtomicInteger wanted = new AtomicInteger();
        private final AtomicBoolean over = new AtomicBoolean();
        private final long seed = Long.getLong("seed", System.nanoTime());

        Delays play() throws Exception {
            log.info("seed {}", seed);
            try (DurableEngine engine = client()) {
                recordStalls();
                start(blue, "blue");
                CompletableFuture<Void> starts = CompletableFuture.runAsync(() -> startRuns(engine.client()));
                CompletableFuture<Void> signals = CompletableFuture.runAsync(() -> sendSignals(engine.client()));
                startUpTo(0.2);
                Builds builds = engine.client().builds();
                builds.ramp("green", 30);
                start(green, "green");
                startUpTo(0.5);
                kill(blue.all().getFirst());
                kill(green.all().getFirst());
                startUpTo(0.6);
                builds.ramp("green", 100);
                startUpTo(0.75);
                builds.ramp("green", 0);
                execute("create table rolled_back as select clock_timestamp() as at");
                startUpTo(0.85);
                replace(blue, "blue");
                replace(green, "green");
                kill(green.all().getLast());
                startUpTo(1);
                starts.join();
                Bench.awaitThat(() -> number("select count(*) from durable.run_state") == 0);
                over.set(true);
                signals.join();
                return judged();
            } finally {
                over.set(true);
                blue.close();
                green.close();
                database.close();
            }
        }

        private DurableEngine client() {
            PostgresHistoryStore.of(database.dataSource()).open();
            return Bench.takingOverSoon(database.pooledDataSource(8))
                    .register(BlueTour.class, BluePinnedTour.class)
                    .clientOnly()
                    .start();
        }

        // ── load ─────────────────────────────────────────────────────────────────────────────────────────────────────

        /** Starts the runs, as fast as the window says, while more are wanted; every other one is of the pinned type. */
        private void startRuns(DurableClient client) {
            Random random = new Random(seed);
            for (int i = 0; i < RUNS && !over.get(); i++) {
                int next = i;
                LockSupport.parkNanos(WINDOW.toNanos() / RUNS);
                Bench.awaitThat(() -> next < wanted.get() || over.get());
                int pause = PAUSE / 2 + random.nextInt(PAUSE);
                if (i % 2 == 0) {
                    client.start(BlueTour.class, "t-" + i, w -> w.run(pause));
                } else {
                    client.start(BluePinnedTour.class, "t-" + i, w -> w.run(pause));
                }
                started.incrementAndGet();
            }
        }

        private void sendSignals(DurableClient client) {
            Random random = new Random(seed + 1);
            while (!over.get()) {
                LockSupport.parkNanos(WINDOW.toNanos() / RUNS);
                int open = started.get();
                if (open > 0) {
                    int i = random.nextInt(open);
                    try {
                        if (i % 2 == 0) {
                            client.handle(BlueTour.class, "t-" + i).signal(BlueTour::note);
                        } else {
                            client.handle(BluePinnedTour.class, "t-" + i).signal(BluePinnedTour::note);
                        }
                    } catch (WorkflowNotFoundException e) {
                        log.trace("the run has ended", e);
                    }
                }
            }
        }

        /** Has this share of the runs started. */
        private void startUpTo(double share) {
            wanted.set((int) (RUNS * share));
            Bench.awaitThat(() -> started.get() == wanted.get());
        }

        // ── processes ────────────────────────────────────────────────────────────────────────────────────────────────

        private void start(WorkerProcesses workers, String build) throws Exception {
            workers.start(2);
            workers.all().forEach(process -> note(process, build));
        }

        /** Starts another process in the place of the first one, which was killed. */
        private void replace(WorkerProcesses workers, String build) throws Exception {
            workers.replace(0);
            note(workers.all().getFirst(), build);
        }

        private void note(Process process, String build) {
            execute("insert into process values (%d, '%s')".formatted(process.pid(), build));
        }

        /** Kills a process, and records the runs and jobs that it has, before another takes them. */
        private void kill(Process process) throws InterruptedException {
            process.destroyForcibly().waitFor();
            execute("""
                    insert into touched
                    select s.run_id from durable.run_state s join durable.session p on p.id = s.last_session
                     where p.identity = '%1$d'
                    union select j.run_id from durable.activity_job j join durable.session p on p.id = j.session
                     where p.identity = '%1$d'""".formatted(process.pid()));
        }

        // ── what is judged ───────────────────────────────────────────────────────────────────────────────────────────

        /** Records each stall, as no closed run tells of it. */
        private void recordStalls() {
            execute("create table process (pid bigint, build text)");
            execute("create table touched (run_id uuid)");
            execute("create table stall (workflow_id text, reason text)");
            execute("""
                    create function record_stall() returns trigger language plpgsql as $$ begin
                        insert into public.stall values (new.workflow_id, new.stalled_by);
                        return null;
                    end $$""");
            execute("create trigger record_stall after update on durable.run_state for each row"
                    + " when (new.stalled_by is not null) execute function record_stall()");
        }

        private Delays judged() throws SQLException {
            assertThat(Sql.column(database.dataSource(), "select workflow_id || ': ' || reason from stall limit 5"))
                    .as("stalls")
                    .isEmpty();
            assertThat(number("select count(*) from durable.workflow_run where status = 'COMPLETED'"))
                    .isEqualTo(RUNS);
            assertThat(number("select count(*) from durable.workflow_run")).isEqualTo(RUNS);
            execute("""
                    create table turn as
                    select h.workflow_id, h.run_id, h.event_id, p.pid, p.build
                      from durable.v_history h join process p on p.pid = (h.attributes ->> 'value')::bigint
                     where h.type = 'SideEffectRecorded'""");
            assertThat(number("select count(*) from turn")).isEqualTo((long) RUNS * STEPS);
            assertThat(Sql.column(database.dataSource(), """
                            select t.workflow_id || ' ended on ' || (w.result ->> 0) || ', turn by ' || t.build
                              from durable.workflow_run w join turn t using (run_id)
                             where w.type = 'PinnedTour' and w.result::text <> '"' || t.build || '"' limit 5"""))
                    .as("pinned runs with a turn of another build")
                    .isEmpty();
            assertThat(number(
                            "select count(distinct result::text) from durable.workflow_run where type = 'PinnedTour'"))
                    .as("builds that began pinned runs")
                    .isEqualTo(2);
            assertThat(Sql.column(database.dataSource(), """
                            select w.workflow_id from durable.workflow_run w, rolled_back r
                             where w.started_at > r.at + interval '1 s'
                               and exists (select 1 from turn t where t.run_id = w.run_id and t.build = 'green') limit 5"""))
                    .as("begun by green though it was rolled back")
                    .isEmpty();
            long upgraded = moved("blue", "green");
            long rolledBack = moved("green", "blue");
            assertThat(upgraded).as("moved to green").isPositive();
            assertThat(rolledBack).as("moved back to blue").isPositive();
            assertThat(SqlInvariants.check(database.dataSource())).isEmpty();
            noteDelays();
            Delays delays = new Delays(longest(false), longest(true), slowest());
            log.info(
                    "{} runs: {} moved to green, {} back; {} were in killed processes; seconds of delay: {}, {} there",
                    RUNS,
                    upgraded,
                    rolledBack,
                    number("select count(distinct run_id) from touched"),
                    delays.others(),
                    delays.behindKills());
            return delays;
        }

        /** Counts the runs that a build went on with behind another one. */
        private long moved(String from, String to) {
            return number("""
                    select count(distinct b.run_id) from turn a join turn b using (run_id)
                     where a.build = '%s' and b.build = '%s' and b.event_id > a.event_id""".formatted(from, to));
        }

        /** Notes how much longer each run took than it slept. */
        private void noteDelays() {
            execute("""
                    create table delay as
                    select w.run_id, extract(epoch from w.closed_at - w.started_at) - %d * pause.millis / 1000.0 as seconds,
                           exists (select 1 from touched t where t.run_id = w.run_id) as touched
                      from durable.workflow_run w
                     cross join lateral (
                            select (h.attributes -> 'input' ->> 0)::numeric as millis from durable.history_event h
                             where h.run_id = w.run_id and h.event_id = 1) pause""".formatted(STEPS));
        }

        private double longest(boolean touched) {
            return Double.parseDouble(Sql.column(
                            database.dataSource(),
                            "select coalesce(max(seconds), 0) from delay where touched = " + touched)
                    .getFirst());
        }

        /** The events of the run with the longest delay that no killed process had, with the process of each turn. */
        private List<String> slowest() {
            return Sql.column(database.dataSource(), """
                    select h.workflow_id || ' ' || to_char(h.at, 'MI:SS.MS') || ' ' || h.type
                           || coalesce(' until ' || to_char((h.attributes ->> 'fireAt')::timestamptz, 'MI:SS.MS'), '')
                           || coalesce(' ' || (select p.build || ' ' || p.pid from process p
                                     where p.pid = (h.attributes ->> 'value')::bigint and h.type = 'SideEffectRecorded'), '')
                      from durable.v_history h
                     where h.run_id = (select d.run_id from delay d where not d.touched order by d.seconds desc limit 1)
                     order by h.event_id""");
        }

        private void execute(String sql) {
            Sql.execute(database.dataSource(), sql);
        }

        private long number(String sql) {
            return Sql.number(database.dataSource(), sql);
        }
    }
}
