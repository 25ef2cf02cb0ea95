package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ConflictPolicy;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Runs that were acknowledged and no longer exist, as after a restore to a time before their start. */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class VanishedRunTest {

    @Workflow
    static class Patient {
        @Run
        String run() {
            Durable.sleep(Duration.ofDays(1));
            return "done";
        }
    }

    /** Continues as new at once, and ends in its second run when it is told so. */
    @Workflow
    static class Chain {
        private boolean over;

        @Run
        String run(boolean first) {
            if (first) {
                throw Durable.continueAsNew(Chain.class, w -> w.run(false));
            }
            Durable.await(() -> over);
            return "done";
        }

        @Signal
        void end() {
            over = true;
        }
    }

    @Test
    void the_end_of_a_chain_is_heard_of_whose_first_run_retention_has_removed() throws Exception {
        try (Bench bench = new Bench();
                DurableEngine engine = bench.engine().register(Chain.class).start()) {
            WorkflowHandle<Chain, String> first = engine.client().start(Chain.class, "c-1", w -> w.run(true));
            Bench.awaitThat(first, run -> run.summary().chain().previousRunId() != null && run.waitingMessages() == 0);
            try (Connection connection = bench.dataSource().getConnection();
                    Statement retention = connection.createStatement()) {
                retention.execute("set role durable_retention");
                retention.execute("delete from durable.history_event where run_id = '" + first.runId() + "'");
                retention.execute("delete from durable.workflow_run where run_id = '" + first.runId() + "'");
                retention.execute("reset role");
            }
            WorkflowHandle<Chain, String> again = engine.client()
                    .start(
                            Chain.class,
                            StartOptions.id("c-1").conflictPolicy(ConflictPolicy.USE_EXISTING),
                            w -> w.run(true));

            again.signal(Chain::end);

            assertThat(again.result(Bench.SOON)).isEqualTo("done");
        }
    }

    @Test
    void who_waits_for_the_result_of_a_run_that_vanished_is_told_so() throws Exception {
        try (Bench bench = new Bench();
                DurableEngine worker = bench.engine().register(Patient.class).start();
                DurableEngine client =
                        bench.engine().register(Patient.class).clientOnly().start()) {
            WorkflowHandle<Patient, String> started = client.client().start(Patient.class, "p-1", Patient::run);
            CompletableFuture<?> here =
                    worker.client().handle(Patient.class, "p-1").resultAsync();
            CompletableFuture<?> waiting = CompletableFuture.supplyAsync(started::result);
            Bench.awaitThat(started, run -> run.historyLength() > 1);
            try (Connection connection = bench.dataSource().getConnection();
                    Statement restored = connection.createStatement()) {
                restored.execute("""
                        set session_replication_role = replica;
                        truncate durable.workflow_run, durable.run_state, durable.history_event, durable.inbox;
                        reset session_replication_role""");
            }

            for (CompletableFuture<?> result : new CompletableFuture<?>[] {waiting, here}) {
                assertThat(result)
                        .failsWithin(Bench.SOON)
                        .withThrowableThat()
                        .withCauseInstanceOf(WorkflowNotFoundException.class)
                        .withMessageContaining("is not in the store any more, so it has no result");
            }
        }
    }
}
