package dev.durable.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Queue;
import dev.dbos.transact.workflow.Workflow;
import dev.dbos.transact.workflow.WorkflowHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * DBOS Transact: steps are lambdas, workflows run where they are started, on virtual threads; a pool of 32, at which it
 * was fastest. Its fan-out is child workflows: a step has no asynchronous form. Jobs are workflows in a queue that is
 * polled as often as it may be.
 */
final class DbosContestant implements Contestant {
    private static final int CONNECTIONS = 32;
    private static final Duration POLL = Duration.ofMillis(50);
    private static final int AT_ONCE = 200;

    /** The workflows. */
    interface Flows {
        int sequence(int steps);

        int ledgered(int run, int steps);

        long fanout(int size);

        int branch(int value);

        void job(int value);
    }

    private final Database database;
    private final HikariDataSource pool;
    private final DBOS dbos;
    private final Flows flows;
    private final Queue queue;
    private final Ledger ledger;
    private volatile CountDownLatch executed = new CountDownLatch(0);
    private int enqueued;
    private boolean launched;

    DbosContestant(Database database, Settings settings) throws Exception {
        this.database = database;
        this.pool = database.pool(settings.connectionsOr(CONNECTIONS));
        this.ledger = Ledger.at(settings.ledger());
        this.dbos =
                new DBOS(DBOSConfig.defaults("benchmark").withDataSource(pool).withAppVersion("1"));
        this.queue = new Queue("jobs").withWorkerConcurrency(AT_ONCE).withPollingInterval(POLL);
        dbos.registerQueue(queue);
        FlowsCode code = new FlowsCode();
        this.flows = dbos.registerProxy(Flows.class, code);
        code.self = flows;
        launch();
    }

    private void launch() {
        dbos.launch();
        launched = true;
    }

    final class FlowsCode implements Flows {
        private Flows self = this;

        @Override
        @Workflow
        public int sequence(int steps) {
            int value = 0;
            for (int i = 0; i < steps; i++) {
                int before = value;
                value = dbos.<Integer, RuntimeException>runStep(() -> before + 1, "next");
            }
            return value;
        }

        @Override
        @Workflow
        public int ledgered(int run, int steps) {
            int value = 0;
            for (int i = 0; i < steps; i++) {
                int before = value;
                value = dbos.<Integer, RuntimeException>runStep(
                        () -> {
                            ledger.wrote(run, before);
                            return before + 1;
                        },
                        "next");
            }
            return value;
        }

        @Override
        @Workflow
        public long fanout(int size) {
            List<WorkflowHandle<Integer, RuntimeException>> branches = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                int value = i;
                branches.add(dbos.startWorkflow(() -> self.branch(value)));
            }
            return branches.stream().mapToLong(WorkflowHandle::getResult).sum();
        }

        @Override
        @Workflow
        public int branch(int value) {
            return value + 1;
        }

        @Override
        @Workflow
        public void job(int value) {
            executed.countDown();
        }
    }

    /** A step has one form only: it runs where its workflow does. */
    @Override
    public int steps(String id, int steps, boolean local) {
        return dbos.<Integer, RuntimeException>startWorkflow(() -> flows.sequence(steps), new StartWorkflowOptions(id))
                .getResult();
    }

    @Override
    public long fanout(String id, int size) {
        return dbos.<Long, RuntimeException>startWorkflow(() -> flows.fanout(size), new StartWorkflowOptions(id))
                .getResult();
    }

    /** Its fan-out is children already. */
    @Override
    public long children(String id, int size) {
        return fanout(id, size);
    }

    @Override
    public long starts(String prefix, int size, int atOnce) throws Exception {
        LongAdder sum = new LongAdder();
        InFlight.each(
                size,
                atOnce,
                n -> sum.add(dbos.<Integer, RuntimeException>startWorkflow(
                                () -> flows.branch((int) n), new StartWorkflowOptions(prefix + n))
                        .getResult()));
        return sum.sum();
    }

    @Override
    public void startMany(int runs, int steps) throws Exception {
        InFlight.each(
                runs,
                CONNECTIONS,
                n -> dbos.startWorkflow(
                        () -> flows.ledgered((int) n, steps), new StartWorkflowOptions("ledgered-" + n)));
    }

    /** There is no way to enqueue while no worker runs but with another process: enqueueing and executing overlap. */
    @Override
    public void enqueue(int jobs) throws Exception {
        executed = new CountDownLatch(jobs);
        InFlight.each(
                jobs,
                CONNECTIONS,
                n -> dbos.startWorkflow(
                        () -> flows.job((int) n), new StartWorkflowOptions("job-" + (enqueued + n)).withQueue(queue)));
        enqueued += jobs;
    }

    @Override
    public void executeAll(int jobs) throws Exception {
        if (!executed.await(10, TimeUnit.MINUTES)) {
            throw new IllegalStateException(executed.getCount() + " jobs were not executed within ten minutes");
        }
        while (database.number("select count(*) from dbos.workflow_status where status <> 'SUCCESS'") > 0) {
            Thread.sleep(10);
        }
    }

    @Override
    public List<String> check(long runs, long steps) throws Exception {
        List<String> wrong = new ArrayList<>();
        long completed = database.number(Peer.DBOS.completedSql());
        if (completed < runs) {
            wrong.add(completed + " completed runs instead of " + runs);
        }
        long outputs = database.number("select count(*) from dbos.operation_outputs");
        if (outputs < steps) {
            wrong.add(outputs + " step results instead of " + steps);
        }
        return wrong;
    }

    @Override
    public void close() throws Exception {
        if (launched) {
            dbos.shutdown();
        }
        pool.close();
        ledger.close();
    }
}
