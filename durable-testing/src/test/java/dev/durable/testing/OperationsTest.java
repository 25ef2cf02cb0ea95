package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.RefusedInputException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.TypeRef;
import dev.durable.Workflow;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.AuditEntry;
import dev.durable.client.DurableClient;
import dev.durable.client.Operation;
import dev.durable.client.OperationPreview;
import dev.durable.client.OperationProgress;
import dev.durable.client.StallGroup;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowQuery;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.SignalReceived;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.history.WorkflowPaused;
import dev.durable.history.WorkflowTerminated;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Verbs on all runs that a query finds, carried out page by page by a worker; on each kind of store. */
abstract class OperationsTest {

    @Workflow(name = "Order")
    static class Order {
        private final List<String> heard = new ArrayList<>();
        private boolean done;

        @Run
        List<String> run() {
            Durable.await(() -> done);
            return heard;
        }

        @Signal
        void say(String word, int number) {
            heard.add(word + " " + number);
        }

        @Signal
        void finish() {
            done = true;
        }
    }

    @Workflow(name = "Refund")
    static class Refund {
        @Run
        void run() {
            Durable.sleep(Duration.ofDays(1));
        }
    }

    @Activity
    interface Mail {
        void send(String to);
    }

    private DurableClient orders(TestEngine engine, int orders) {
        engine.register(Order.class, Refund.class).activity(Mail.class, to -> {});
        DurableClient client = engine.client();
        for (int i = 1; i <= orders; i++) {
            client.start(Order.class, "order-" + i, w -> w.run());
        }
        client.startVoid(Refund.class, "refund-1", w -> w.run());
        engine.settle();
        // Those that are started at the time of the operation are no longer among its runs.
        engine.advance(Duration.ofSeconds(1));
        return client;
    }

    /** The rows of the audit of an operation, its end last, without the time up to which its runs were started. */
    private static List<String> audit(DurableClient client, Operation operation) {
        return client.audit().page(50).stream()
                .filter(row -> row.target().equals(operation.id()))
                .map(row -> row.actor() + ": " + row.action() + " "
                        + row.details().replaceAll(",\"startedBefore\":\"[^\"]*\"", ""))
                .sorted(Comparator.comparing(row -> row.contains(": end operation ")))
                .toList();
    }

    private static WorkflowStatus status(DurableClient client, String id) {
        return client.handle(id).describe().summary().status();
    }

    @Test
    void cancel_asks_each_open_run_of_the_query_as_the_operator_and_no_other(TestEngine engine) {
        DurableClient client = orders(engine, 7);
        client.handle("order-7").signal("finish");
        engine.settle();

        Operation operation = client.workflows()
                .where(w -> w.type(Order.class))
                .by("ann")
                .because("sold out")
                .cancel();
        OperationProgress progress = operation.await();
        engine.settle();

        assertThat(progress.done()).isEqualTo(6);
        assertThat(progress.passed()).isZero();
        assertThat(List.of(progress.action(), progress.actor(), progress.reason()))
                .containsExactly("cancel", "ann", "sold out");
        assertThat(operation.progress()).isEqualTo(progress);
        for (int i = 1; i <= 6; i++) {
            assertThat(status(client, "order-" + i)).isEqualTo(WorkflowStatus.CANCELLED);
            assertThat(client.history("order-" + i).events(WorkflowCancelRequested.class))
                    .singleElement()
                    .satisfies(asked ->
                            assertThat(asked.by() + ": " + asked.reason()).isEqualTo("ann: sold out"));
        }
        assertThat(status(client, "order-7")).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(status(client, "refund-1")).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(audit(client, operation))
                .containsExactly(
                        "ann: cancel runs {\"reason\":\"sold out\",\"runs\":{\"types\":[\"Order\"]}}",
                        "ann: end operation {\"action\":\"cancel runs\",\"done\":6,\"passed\":0}");
        assertThat(client.audit().page(10)).as("no row for each run").hasSize(2);
    }

    @Test
    void terminate_pause_and_resume_do_what_the_handles_do(TestEngine engine) {
        DurableClient client = orders(engine, 3);
        var open = client.workflows().where(w -> w.type("Order")).by("ann").because("look at it");

        assertThat(open.pause().await().done()).isEqualTo(3);
        assertThat(client.handle("order-2").describe().paused()).isTrue();
        assertThat(client.history("order-2").events(WorkflowPaused.class))
                .singleElement()
                .satisfies(
                        pause -> assertThat(pause.by() + ": " + pause.reason()).isEqualTo("ann: look at it"));
        assertThat(open.resume().await().done()).isEqualTo(3);
        assertThat(client.handle("order-2").describe().paused()).isFalse();
        assertThat(open.terminate().await().done()).isEqualTo(3);
        assertThat(client.history("order-2").events(WorkflowTerminated.class))
                .singleElement()
                .satisfies(end -> assertThat(end.by() + ": " + end.reason()).isEqualTo("ann: look at it"));
        assertThat(open.terminate().await())
                .as("nothing is left")
                .extracting(p -> p.done() + p.passed())
                .isEqualTo(0L);
        assertThat(status(client, "refund-1")).isEqualTo(WorkflowStatus.RUNNING);
    }

    @Test
    void a_signal_is_heard_once_by_each_run_also_where_the_operation_is_carried_out_again(TestEngine engine) {
        DurableClient client = orders(engine, 5);
        Operation operation = client.workflows()
                .where(w -> w.workflowIdPrefix("order-"))
                .by("ann")
                .rate(2)
                .signal("say", "it's", 7);
        engine.advance(Duration.ofMillis(100));
        assertThat(operation.progress().done()).as("in the first second").isEqualTo(2);
        operation.stop("enough");
        engine.settle();
        assertThat(operation.progress().done()).isEqualTo(2);
        assertThat(audit(client, operation))
                .anySatisfy(row ->
                        assertThat(row).endsWith(": stop operation {\"reason\":\"enough\",\"done\":2,\"passed\":0}"));

        Operation again = client.operations().resume(operation.id());
        assertThat(again.await().done()).isEqualTo(5);
        client.workflows()
                .where(w -> w.workflowIdPrefix("order-"))
                .by("ann")
                .signal("finish")
                .await();
        engine.settle();

        for (int i = 1; i <= 5; i++) {
            assertThat(client.handle("order-" + i).resultAs(new TypeRef<List<String>>() {}))
                    .containsExactly("it's 7");
            assertThat(client.history("order-" + i).events(SignalReceived.class))
                    .hasSize(2);
        }
        assertThatThrownBy(() -> client.operations().resume(operation.id()))
                .isInstanceOf(WorkflowAlreadyStartedException.class);
    }

    /** Stalls until its code is mended, as by a deployment. */
    @Workflow
    static class Invoice {
        static final Set<UUID> MENDED = ConcurrentHashMap.newKeySet();

        @Run
        String run() {
            if (!MENDED.contains(Durable.info().runId())) {
                throw new StackOverflowError("a bug");
            }
            return "sent";
        }
    }

    @Test
    void stalled_runs_are_tried_again_at_once(TestEngine engine) {
        engine.withoutReplayCheck().register(Invoice.class);
        DurableClient client = orders(engine, 1);
        UUID invoice = client.start(Invoice.class, "invoice-1", Invoice::run)
                .describe()
                .summary()
                .runId();
        assertThatThrownBy(engine::settle).isInstanceOf(WorkflowStalledException.class);
        engine.advance(Duration.ofMillis(500));
        assertThat(client.handle("invoice-1").describe().stalledBy()).contains("a bug");
        Invoice.MENDED.add(invoice);

        assertThat(client.workflows().where(w -> w.stalled()).dryRun().total()).isEqualTo(1);
        assertThat(client.workflows().retryAll().await().done()).isEqualTo(1);
        engine.settle();

        assertThat(status(client, "invoice-1")).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(client.audit().where(a -> a.action("retry runs")).page(10))
                .singleElement()
                .extracting(AuditEntry::details)
                .asString()
                .contains("\"stalled\":true");
        assertThat(client.workflows().by("ann").retry().await())
                .as("nothing has stalled")
                .extracting(p -> p.done() + p.passed())
                .isEqualTo(0L);
    }

    /** Stalls at the line and for the cause that its argument says. */
    @Workflow
    static class Bill {
        @Run
        String run(String bug) {
            if (bug.equals("elsewhere")) {
                throw new StackOverflowError("a bug");
            }
            throw new StackOverflowError(bug);
        }
    }

    @Test
    void a_verb_is_for_one_group_of_stalled_runs_and_no_other(TestEngine engine) {
        engine.withoutReplayCheck().register(Bill.class);
        DurableClient client = orders(engine, 1);
        for (String bill :
                List.of("b-1 a bug", "b-2 a bug", "b-3 elsewhere", "b-4 another bug 7", "b-5 another bug 8")) {
            String[] idAndBug = bill.split(" ", 2);
            client.start(Bill.class, idAndBug[0], w -> w.run(idAndBug[1]));
            assertThatThrownBy(engine::settle).isInstanceOf(WorkflowStalledException.class);
        }
        engine.advance(Duration.ofMillis(500));
        List<StallGroup> groups = client.workflows().oldestFirst().stallGroups();
        assertThat(groups).extracting(StallGroup::count).containsExactly(2L, 2L, 1L);
        StallGroup numbers = groups.stream()
                .filter(group -> group.cause().contains("another bug"))
                .findFirst()
                .orElseThrow();
        for (StallGroup group : groups) {
            assertThat(client.workflows().where(w -> w.stalledLike(group)).count())
                    .isEqualTo(group.count());
            assertThat(client.workflows()
                            .where(w -> w.stalledLike(group).workflowIdPrefix("b-"))
                            .count())
                    .isEqualTo(group.count());
        }
        assertThat(client.workflows()
                        .where(w -> w.stalledLike(numbers).workflowId("b-3"))
                        .count())
                .isZero();

        Operation paused = client.workflows()
                .where(w -> w.stalledLike(numbers))
                .by("ann")
                .because("7 and 8 are not for today")
                .pause();

        assertThat(paused.await().done()).isEqualTo(2);
        assertThat(audit(client, paused).getFirst())
                .contains("\"stalledLike\":{\"cause\":\"Bill  is stalled: java.lang.StackOverflowError: another bug #")
                .contains("\"line\":\"OperationsTest.Bill.run(OperationsTest.java:");
        assertThat(client.workflows().where(w -> w.stalled()).stream()
                        .filter(run ->
                                client.handle(run.workflowId()).describe().paused()))
                .extracting(WorkflowQuery.Row::workflowId)
                .containsExactlyInAnyOrder("b-4", "b-5");
    }

    @Test
    void runs_are_moved_to_a_build(TestEngine engine) {
        DurableClient client = orders(engine, 2);

        Operation operation =
                client.workflows().where(w -> w.type("Order")).by("ann").moveTo("2026-11-28.1");

        assertThat(operation.await().done()).isEqualTo(2);
        assertThat(audit(client, operation).getFirst())
                .isEqualTo("ann: move runs {\"reason\":\"no reason given\",\"build\":\"2026-11-28.1\","
                        + "\"runs\":{\"types\":[\"Order\"]}}");
        client.handle("order-1").signal("finish");
        engine.settle();
        assertThat(status(client, "order-1"))
                .as("this process is no such build")
                .isEqualTo(WorkflowStatus.RUNNING);
        assertThatThrownBy(() -> client.workflows().by("ann").moveTo(" "))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("moveTo(…)");
    }

    @Test
    void verbs_of_a_listing_need_no_operator(TestEngine engine) {
        DurableClient client = orders(engine, 3);

        assertThat(client.workflows()
                        .where(w -> w.workflowId("order-1"))
                        .signalAll("finish")
                        .await()
                        .done())
                .isEqualTo(1);
        assertThat(client.workflows()
                        .where(w -> w.workflowId("order-2"))
                        .cancelAll()
                        .await()
                        .done())
                .isEqualTo(1);
        assertThat(client.workflows()
                        .where(w -> w.workflowId("order-3"))
                        .terminateAll("sold out")
                        .await()
                        .done())
                .isEqualTo(1);
        engine.settle();

        assertThat(List.of(status(client, "order-1"), status(client, "order-2"), status(client, "order-3")))
                .containsExactly(WorkflowStatus.COMPLETED, WorkflowStatus.CANCELLED, WorkflowStatus.TERMINATED);
        assertThat(client.history("order-3").events(WorkflowTerminated.class))
                .singleElement()
                .extracting(WorkflowTerminated::reason)
                .isEqualTo("sold out");
    }

    @Test
    void a_rate_is_kept(TestEngine engine) {
        DurableClient client = orders(engine, 9);
        var began = engine.now();

        client.workflows()
                .where(w -> w.type("Order"))
                .by("ann")
                .rate(2)
                .cancel()
                .await();

        assertThat(Duration.between(began, engine.now())).isGreaterThanOrEqualTo(Duration.ofSeconds(4));
    }

    @Test
    void a_dry_run_counts_by_type_and_status_and_changes_nothing(TestEngine engine) {
        DurableClient client = orders(engine, 3);

        OperationPreview all = client.workflows().by("ann").dryRun();

        assertThat(all.types())
                .isEqualTo(Map.of(
                        "Order", Map.of(WorkflowStatus.RUNNING, 3L), "Refund", Map.of(WorkflowStatus.RUNNING, 1L)));
        assertThat(all.total()).isEqualTo(4);
        assertThat(all.atLeast()).isFalse();
        assertThat(client.audit().page(10)).isEmpty();
        assertThat(client.operations().newest(10)).isEmpty();
    }

    @Test
    void runs_that_start_later_and_the_operation_itself_are_left_alone(TestEngine engine) {
        DurableClient client = orders(engine, 2);
        Operation operation =
                client.workflows().by("ann").because("all of it").rate(1).terminate();
        client.start(Order.class, "order-late", w -> w.run());

        assertThat(operation.await().done()).isEqualTo(3);

        assertThat(status(client, "order-late")).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(status(client, "refund-1")).isEqualTo(WorkflowStatus.TERMINATED);
    }

    @Test
    void background_jobs_are_cancelled_and_not_paused(TestEngine engine) {
        DurableClient client = orders(engine, 1);
        client.enqueue(Mail.class, StartOptions.id("job-1").startDelay(Duration.ofDays(1)), m -> m.send("bob"));
        engine.advance(Duration.ofSeconds(1));
        var all = client.workflows().where(w -> w.workflowId("job-1")).by("ann");

        assertThat(all.pause().await()).extracting(OperationProgress::passed).isEqualTo(1L);
        assertThat(all.cancel().await()).extracting(OperationProgress::done).isEqualTo(1L);
        engine.settle();
        assertThat(client.job("job-1").describe().summary().status()).isEqualTo(WorkflowStatus.CANCELLED);
    }

    @Test
    void operations_are_listed_and_found_by_id_and_go_on_while_everything_is_halted(TestEngine engine) {
        DurableClient client = orders(engine, 2);
        client.queues().by("ann").halt();
        Operation first =
                client.workflows().where(w -> w.type("Order")).by("ann").pause();
        assertThat(first.await(Duration.ofMinutes(1)).done()).isEqualTo(2);
        Operation second =
                client.workflows().where(w -> w.type("Order")).by("bob").terminate();
        assertThat(second.await(Duration.ofMinutes(1)).done()).isEqualTo(2);

        assertThat(client.operations().newest(10)).extracting(Operation::id).contains(first.id(), second.id());
        assertThat(client.operations().one(second.id()).progress().actor()).isEqualTo("bob");
        client.queues().endHalt();
    }

    @Test
    void what_can_be_no_operation_is_refused_with_the_way_out(TestEngine engine) {
        DurableClient client = orders(engine, 1);
        assertThatThrownBy(() -> client.workflows()
                        .where(w -> w.status(WorkflowStatus.FAILED, WorkflowStatus.COMPLETED))
                        .by("ann")
                        .cancel())
                .isInstanceOf(RefusedInputException.class)
                .hasMessage(
                        "an operation is for open runs, and this filter finds runs that are [COMPLETED, FAILED]:"
                                + " nothing can happen to them any more, but for a retryFromFailure() of failed ones. Leave the status out.");
        assertThatThrownBy(() -> client.workflows()
                        .where(w -> w.status(WorkflowStatus.RUNNING))
                        .by("ann")
                        .retryFromFailure())
                .isInstanceOf(RefusedInputException.class)
                .hasMessage(
                        "a retry from failure is for runs that have failed or timed out, and this filter finds runs that"
                                + " are [RUNNING]. Leave the status out.");
        assertThatThrownBy(() -> client.workflows().by("ann").rate(0))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("rate(0): an operation asks at least one run per second");
        assertThatThrownBy(() -> client.workflows().by(" "))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("an actor needs a name");
        assertThatThrownBy(() -> client.workflows().by("ann").signal(" say")).isInstanceOf(RefusedInputException.class);
        assertThatThrownBy(() -> client.operations().one("nothing")).isInstanceOf(WorkflowNotFoundException.class);
        client.enqueue(Mail.class, StartOptions.id("job-1"), m -> m.send("bob"));
        assertThatThrownBy(() -> client.operations().one("job-1"))
                .isInstanceOf(WorkflowNotFoundException.class)
                .hasMessage("job-1 is a background job of Mail.send and no operation. Use client.job(id).");
    }
}
