package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.durable.client.AuditEntry;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.internal.text.Portion;
import dev.durable.store.AuditFilter;
import dev.durable.store.ClaimedJob;
import dev.durable.store.ClosedRun;
import dev.durable.store.Delivery;
import dev.durable.store.JobUpdate;
import dev.durable.store.QueueChange;
import dev.durable.store.RunDetails;
import dev.durable.store.RunFilter;
import dev.durable.store.RunKey;
import dev.durable.store.RunPause;
import dev.durable.store.RunRecord;
import dev.durable.store.Seizure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What can be asked of runs, open and closed. */
public abstract class ListingContract extends StoreContract {

    @Test
    void a_listing_is_newest_first_or_oldest_first() {
        startedOneByOne(3);

        assertThat(list(new Filter())).containsExactly("order-2", "order-1", "order-0");
        assertThat(list(new Filter().oldestFirst())).containsExactly("order-0", "order-1", "order-2");
    }

    @Test
    void pages_follow_each_other_without_gap_or_repetition() {
        startedOneByOne(7);

        for (Filter order : List.of(new Filter(), new Filter().oldestFirst())) {
            List<String> seen = new ArrayList<>();
            List<RunRecord> page = store.runs(order.build(), 3);
            while (!page.isEmpty()) {
                assertThat(page).hasSizeLessThanOrEqualTo(3);
                page.forEach(run -> seen.add(run.run().workflowId()));
                page = store.runs(order.after(page.getLast().run().runId()).build(), 3);
            }
            assertThat(seen).hasSize(7).doesNotHaveDuplicates();
        }
    }

    @Test
    void a_page_of_large_runs_is_a_portion_and_the_next_goes_on_after_its_last_run() {
        String large = text(Portion.BYTES / 3);
        for (int i = 0; i < 9; i++) {
            if (i % 3 == 0) {
                started(newRun("order-" + i).memo("large", large));
            } else {
                Writer closing = claimed("order-" + i);
                closing.write(
                        closing.step().closes(i % 3 == 1 ? WorkflowStatus.COMPLETED : WorkflowStatus.CANCELLED, large));
            }
            advance(Duration.ofMillis(2));
        }

        Supplier<Filter> notable = () -> new Filter().statuses(WorkflowStatus.RUNNING, WorkflowStatus.CANCELLED);
        assertThat(largeOnes(new Filter())).containsExactly(8, 7, 6, 5, 4, 3, 2, 1, 0);
        assertThat(largeOnes(new Filter().oldestFirst())).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(largeOnes(notable.get())).containsExactly(8, 6, 5, 3, 2, 0);
        assertThat(largeOnes(notable.get().oldestFirst())).containsExactly(0, 2, 3, 5, 6, 8);
        assertThat(store.count(new Filter().build())).isEqualTo(9);
    }

    @Test
    void of_large_results_a_portion_is_told_and_the_rest_when_asked_again() {
        String large = text(Portion.BYTES / 3);
        Set<UUID> waiting = new HashSet<>();
        for (int i = 0; i < 8; i++) {
            Writer closing = claimed("order-" + i);
            closing.write(closing.step().closes(WorkflowStatus.COMPLETED, large));
            waiting.add(closing.run().runId());
        }

        for (int looks = 0; !waiting.isEmpty(); looks++) {
            assertThat(looks).isLessThan(8);
            List<ClosedRun> closed = store.closed(waiting);
            assertThat(closed).hasSizeBetween(1, 4);
            closed.forEach(run -> assertThat(waiting.remove(run.runId())).isTrue());
        }
    }

    /** The numbers of the runs, page by page. */
    private List<Integer> largeOnes(Filter filter) {
        List<Integer> seen = new ArrayList<>();
        List<RunRecord> page = store.runs(filter.build(), 100);
        while (!page.isEmpty()) {
            assertThat(page).hasSizeBetween(1, 4);
            assertThat(Portion.isWhole(page, 100, RunRecord::atMost)).isFalse();
            page.forEach(run -> seen.add(Integer.parseInt(run.run().workflowId().substring("order-".length()))));
            page = store.runs(filter.after(page.getLast().run().runId()).build(), 100);
        }
        return seen;
    }

    @Test
    void background_jobs_are_listed_by_their_activity_open_and_ended() {
        started(job("mail-1", "Emails.send"));
        terminated(started(job("mail-2", "Emails.send")));
        started(job("list-1", "Emails.list"));
        started(newRun("order-1").started("{\"input\":[\"Emails.send\"]}"));

        RunFilter mails = RunFilter.ALL.types(Set.of("durable.job")).activity("Emails.send");
        assertThat(store.runs(mails, 10))
                .extracting(run -> run.run().workflowId())
                .containsExactly("mail-2", "mail-1");
        assertThat(store.count(mails.statuses(Set.of(WorkflowStatus.TERMINATED))))
                .isOne();
        assertThat(store.count(RunFilter.ALL.types(Set.of("durable.job")).activity("Emails.nobody")))
                .isZero();
    }

    private NewRunBuilder job(String id, String activity) {
        return newRun(id)
                .type("durable.job")
                .started("{\"workflowId\":\"" + id + "\",\"input\":[\"" + activity
                        + "\",[\"\\\"input\\\":[\\\"Emails.nobody\\\"]\"],{}]}");
    }

    @Test
    void a_listing_asks_for_types_and_queues() {
        started("order-1");
        started(newRun("order-2").type("Other"));
        started(newRun("order-3").taskQueue("slow"));

        assertThat(list(new Filter().types("Other"))).containsExactly("order-2");
        assertThat(list(new Filter().types("Other", TYPE))).hasSize(3);
        assertThat(list(new Filter().queue("slow"))).containsExactly("order-3");
        assertThat(list(new Filter().types("Nobody"))).isEmpty();
    }

    @Test
    void a_listing_asks_for_states() {
        Writer completed = claimed("order-1");
        completed.write(completed.closing());
        terminated(started("order-2"));
        started("order-3");

        assertThat(list(new Filter().statuses(WorkflowStatus.RUNNING))).containsExactly("order-3");
        assertThat(list(new Filter().statuses(WorkflowStatus.COMPLETED, WorkflowStatus.TERMINATED)))
                .containsExactlyInAnyOrder("order-1", "order-2");
    }

    @Test
    void a_listing_asks_for_a_workflow_id_or_its_literal_prefix() {
        terminated(started("order-1"));
        advance(Duration.ofSeconds(1));
        started("order-1");
        started("order-10");
        started("o%_x");
        started("o_other");

        assertThat(list(new Filter().id("order-1"))).containsExactly("order-1", "order-1");
        assertThat(list(new Filter().prefix("order-"))).hasSize(3);
        assertThat(list(new Filter().prefix("o%_"))).containsExactly("o%_x");
        assertThat(list(new Filter().prefix("o_"))).containsExactly("o_other");
        assertThat(list(new Filter().prefix("O"))).isEmpty();
    }

    @Test
    void a_listing_asks_for_times_of_start_and_end() {
        RunKey early = started("order-early");
        Writer closedEarly = claimed(early);
        closedEarly.write(closedEarly.closing());
        advance(Duration.ofMinutes(1));
        Instant middle = store.now();
        advance(Duration.ofMinutes(1));
        terminated(started("order-late"));
        started("order-open");

        assertThat(list(new Filter().startedAfter(middle))).containsExactlyInAnyOrder("order-late", "order-open");
        assertThat(list(new Filter().startedBefore(middle))).containsExactly("order-early");
        assertThat(list(new Filter().closedAfter(middle))).containsExactly("order-late");
        assertThat(list(new Filter().closedBefore(middle))).containsExactly("order-early");
    }

    @Test
    void a_listing_asks_for_stalled_runs() {
        Writer stalled = claimed("order-1");
        stalled.write(stalled.step().stalls("differs", Duration.ofMinutes(1)));
        started("order-2");

        assertThat(list(new Filter().stalled())).containsExactly("order-1");
        terminated(stalled.run());
        assertThat(list(new Filter().stalled())).isEmpty();
    }

    @Test
    void conditions_hold_together_and_can_be_counted() {
        started(newRun("order-1").type("Other"));
        started(newRun("order-2").type("Other").taskQueue("slow"));
        started(newRun("order-3").taskQueue("slow"));

        Filter both = new Filter().types("Other").queue("slow");
        assertThat(list(both)).containsExactly("order-2");
        assertThat(store.count(both.build())).isEqualTo(1);
        assertThat(store.count(RunFilter.ALL)).isEqualTo(3);
        assertThat(store.count(new Filter().types("Nobody").build())).isZero();
    }

    @Test
    void a_count_stops_at_its_limit() {
        started("order-1");
        started("order-2");
        terminated(started("order-3"));

        assertThat(store.count(RunFilter.ALL, 2)).isEqualTo(2);
        assertThat(store.count(RunFilter.ALL, 3)).isEqualTo(3);
        assertThat(store.count(RunFilter.ALL, 4)).isEqualTo(3);
        assertThat(store.count(
                        new Filter()
                                .statuses(WorkflowStatus.RUNNING, WorkflowStatus.TERMINATED)
                                .build(),
                        10))
                .isEqualTo(3);
        assertThat(store.count(RunFilter.ALL, 0)).isZero();
    }

    @Test
    void windows_of_start_and_end_hold_together_with_states_types_and_order() {
        Writer completed = claimed("order-1");
        terminated(started("order-2"));
        advance(Duration.ofMillis(5));
        RunKey open = started("order-3");
        advance(Duration.ofMillis(5));
        started(newRun("order-4").type("Other"));
        advance(Duration.ofHours(3));
        Instant middle = store.now();
        advance(Duration.ofSeconds(30));
        completed = claimed(completed.run());
        completed.write(completed.closing());
        terminated(started("order-5"));
        Writer quick = claimed("order-6");
        quick.write(quick.closing());

        assertThat(list(new Filter().closedAfter(middle))).containsExactlyInAnyOrder("order-6", "order-5", "order-1");
        assertThat(list(new Filter().closedAfter(middle).oldestFirst().statuses(WorkflowStatus.COMPLETED)))
                .containsExactly("order-1", "order-6");
        assertThat(list(new Filter().closedAfter(middle).startedBefore(middle))).containsExactly("order-1");
        assertThat(list(new Filter().closedAfter(middle).startedAfter(middle).statuses(WorkflowStatus.TERMINATED)))
                .containsExactly("order-5");
        assertThat(list(new Filter().closedBefore(middle))).containsExactly("order-2");
        assertThat(list(new Filter().startedBefore(middle).statuses(WorkflowStatus.RUNNING)))
                .containsExactlyInAnyOrder("order-4", "order-3");
        assertThat(list(new Filter().startedBefore(middle).types("Other"))).containsExactly("order-4");
        assertThat(list(new Filter().startedAfter(middle).statuses(WorkflowStatus.RUNNING)))
                .isEmpty();
        assertThat(list(new Filter().statuses(WorkflowStatus.RUNNING).closedAfter(middle)))
                .isEmpty();
        assertThat(list(new Filter()
                        .statuses(WorkflowStatus.RUNNING, WorkflowStatus.TERMINATED)
                        .after(open.runId())))
                .containsExactly("order-2");
    }

    @Test
    void of_many_workflow_ids_the_latest_runs_are_told() {
        terminated(started("order-1"));
        advance(Duration.ofSeconds(1));
        RunKey second = started("order-1");
        RunKey other = started("order-2");

        assertThat(store.latestRuns(List.of("order-1", "order-2", "order-3"))).containsExactlyInAnyOrder(second, other);
        assertThat(store.latestRuns(List.of())).isEmpty();
    }

    @Test
    void a_listed_run_has_all_there_is_to_show() {
        Writer writer = claimed(started(newRun("order-1").memo("customer", "7").memo("läuft", "ja ✓")));
        writer.write(writer.closing());

        RunRecord listed = store.runs(RunFilter.ALL, 10).getFirst();

        assertThat(listed).isEqualTo(store.run(writer.run().runId()).orElseThrow());
        assertThat(listed.memo()).containsEntry("customer", "7").containsEntry("läuft", "ja ✓");
        assertThat(listed.result()).isNotNull();
    }

    @Test
    void the_latest_run_is_the_open_one_else_the_one_that_closed_last() {
        assertThat(store.latestRun("order-1")).isEmpty();
        RunKey first = started("order-1");
        terminated(first);
        advance(Duration.ofSeconds(1));
        assertThat(store.latestRun("order-1").orElseThrow().run()).isEqualTo(first);
        RunKey second = started("order-1");
        assertThat(store.latestRun("order-1").orElseThrow().run()).isEqualTo(second);
        terminated(second);
        advance(Duration.ofSeconds(1));
        assertThat(store.latestRun("order-1").orElseThrow().run()).isEqualTo(second);
    }

    @Test
    void of_many_runs_the_closed_ones_are_told_with_their_results() {
        Writer completed = claimed("order-1");
        completed.write(completed.closing());
        RunKey terminated = started("order-2");
        terminated(terminated);
        RunKey open = started("order-3");

        List<ClosedRun> closed =
                store.closed(List.of(completed.run().runId(), terminated.runId(), open.runId(), UUID.randomUUID()));

        assertThat(closed)
                .extracting(ClosedRun::runId, ClosedRun::status, ClosedRun::result)
                .containsExactlyInAnyOrder(
                        tuple(completed.run().runId(), WorkflowStatus.COMPLETED, "{\"status\":\"COMPLETED\"}"),
                        tuple(terminated.runId(), WorkflowStatus.TERMINATED, null));
    }

    @Test
    void of_many_runs_those_are_told_that_are_not_there() {
        RunKey closed = started("order-1");
        terminated(closed);
        RunKey open = started("order-2");
        UUID lost = UUID.randomUUID();

        assertThat(store.unknown(List.of(closed.runId(), lost, open.runId()))).containsExactly(lost);
        assertThat(store.unknown(List.of())).isEmpty();
    }

    @Test
    void nothing_is_known_of_a_run_that_is_not_there() {
        UUID nobody = newRun("order-1").key().runId();

        assertThat(store.run(nobody)).isEmpty();
        assertThat(store.details(nobody)).isEmpty();
        assertThat(store.history(nobody, 1, 10)).isEmpty();
        assertThat(store.runs(RunFilter.ALL, 10)).isEmpty();
        assertThat(store.count(RunFilter.ALL)).isZero();
    }

    @Test
    void a_description_says_who_started_the_run_where_its_history_does() {
        RunKey asked = started(newRun("order-1").started("{\"input\":[],\"startedBy\":\"ann \\\"at\\\" desk\"}"));
        RunKey older = started(newRun("order-2").started("{\"input\":[]}"));

        assertThat(store.details(asked.runId()).orElseThrow().startedBy()).isEqualTo("ann \"at\" desk");
        assertThat(store.details(older.runId()).orElseThrow().startedBy()).isNull();
    }

    @Test
    void a_description_says_whether_a_run_is_paused() {
        RunKey run = started("order-1");
        assertThat(store.details(run.runId()).orElseThrow().paused()).isFalse();
        pausedBy("ann", "order-1");
        assertThat(store.details(run.runId()).orElseThrow().paused()).isTrue();
        store.seize(Seizures.terminateCurrent("order-1"));
        assertThat(store.details(run.runId()).orElseThrow().paused()).isFalse();
    }

    @Test
    void the_audit_is_read_page_by_page_the_latest_first() {
        started("order-1");
        pausedBy("ann", "order-1");
        for (String queue : List.of("slow", "fast", "gpu")) {
            advance(Duration.ofSeconds(1));
            store.change(new QueueChange(UUID.randomUUID(), "bob", new QueueChange.PauseQueue(queue, null)));
        }
        store.change(new QueueChange(UUID.randomUUID(), "bob", new QueueChange.PauseQueue("gpu", null)));

        List<String> seen = new ArrayList<>();
        List<AuditEntry> page = store.audit(AuditFilter.ALL, 3);
        while (!page.isEmpty()) {
            page.forEach(row -> seen.add(row.actor() + " " + row.action() + " " + row.target()));
            AuditEntry last = page.getLast();
            // What comes meanwhile moves nothing.
            advance(Duration.ofSeconds(1));
            store.change(new QueueChange(UUID.randomUUID(), "eve", new QueueChange.PauseQueue(seen.toString(), null)));
            page = store.audit(AuditFilter.ALL.after(new AuditFilter.Place(last.at(), last.id())), 3);
        }
        assertThat(seen)
                .containsExactly(
                        "bob pause queue gpu", "bob pause queue fast", "bob pause queue slow", "ann pause run order-1");
    }

    @Test
    void an_operators_cancel_and_end_are_in_the_audit_once_however_often_they_are_sent_and_others_are_not() {
        RunKey run = started("order-1");
        InboxMessage asks = new InboxMessage(
                UUID.randomUUID(), MessageKind.CANCEL, "WorkflowCancelRequested", "{\"reason\":\"why\"}", null, null);
        for (int i = 0; i < 2; i++) {
            store.deliver(List.of(new Delivery("order-1", null, asks, "ann")));
        }
        advance(Duration.ofSeconds(1));
        Seizure end = Seizures.terminateCurrent("order-1");
        Seizure byBob = new Seizure(
                "order-1", null, false, end.newFence(), end.status(), end.eventType(), end.attributes(), null, "bob");
        for (int i = 0; i < 2; i++) {
            assertThat(store.seize(byBob)).contains(run);
        }
        started("order-2");
        store.seize(Seizures.terminateCurrent("order-2"));

        assertThat(store.audit(AuditFilter.ALL, 10)).hasSize(2);
        assertThat(store.audit(AuditFilter.ALL.workflowId("order-1"), 10))
                .extracting(AuditEntry::actor, AuditEntry::action, AuditEntry::target, AuditEntry::details)
                .containsExactly(
                        tuple("bob", "terminate run", "order-1", "{\"runId\":\"" + run.runId() + "\"}"),
                        tuple("ann", "cancel run", "order-1", "{\"runId\":\"" + run.runId() + "\"}"));
    }

    @Test
    void a_request_to_cancel_that_is_sent_again_when_its_run_has_read_it_is_in_the_audit_once() {
        Writer writer = claimed("order-1");
        Delivery asks = new Delivery(
                "order-1",
                null,
                new InboxMessage(
                        UUID.randomUUID(),
                        MessageKind.CANCEL,
                        "WorkflowCancelRequested",
                        "{\"reason\":\"why\"}",
                        null,
                        null),
                "ann");
        store.deliver(List.of(asks));
        writer.write(writer.step().consumes(asks.message()));
        store.deliver(List.of(asks));

        assertThat(store.audit(AuditFilter.ALL, 10)).hasSize(1);
    }

    @Test
    void the_audit_is_read_by_actor_action_workflow_and_time() {
        RunKey run = started("order-1");
        Instant before = store.now();
        pausedBy("ann", "order-1");
        advance(Duration.ofSeconds(1));
        store.change(new QueueChange(UUID.randomUUID(), "ann", new QueueChange.PauseQueue("order-1", null)));
        Instant after = store.now();

        assertThat(targets(AuditFilter.ALL.actor("ann"))).containsExactly("order-1", "order-1");
        assertThat(targets(AuditFilter.ALL.actor("bob"))).isEmpty();
        assertThat(targets(AuditFilter.ALL.action("pause queue"))).containsExactly("order-1");
        assertThat(targets(AuditFilter.ALL.since(after.plusSeconds(1)))).isEmpty();
        assertThat(targets(AuditFilter.ALL.before(before))).isEmpty();
        assertThat(store.audit(AuditFilter.ALL.workflowId("order-1"), 10))
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.action()).isEqualTo("pause run");
                    assertThat(row.details()).isEqualTo("{\"runId\":\"" + run.runId() + "\"}");
                });
    }

    private List<String> targets(AuditFilter filter) {
        return store.audit(filter, 10).stream().map(AuditEntry::target).toList();
    }

    private void pausedBy(String actor, String workflowId) {
        assertThat(store.pause(new RunPause(
                        workflowId, null, true, UUID.randomUUID(), "WorkflowPaused", "{\"informing\":true}", actor)))
                .isTrue();
    }

    @Test
    void a_history_is_read_page_by_page() {
        Writer writer = claimed("order-1");
        StepBuilder step = writer.step();
        IntStream.range(0, 9).forEach(i -> step.event("SideEffectRecorded", "{\"n\":" + i + "}"));
        writer.write(step);

        UUID run = writer.run().runId();
        assertThat(store.history(run, 1, 4)).extracting(StoredEvent::id).containsExactly(1L, 2L, 3L, 4L);
        assertThat(store.history(run, 5, 4)).extracting(StoredEvent::id).containsExactly(5L, 6L, 7L, 8L);
        assertThat(store.history(run, 9, 4)).extracting(StoredEvent::id).containsExactly(9L, 10L);
        assertThat(store.history(run, 11, 4)).isEmpty();
    }

    @Test
    void an_open_run_is_described_with_all_that_goes_on() {
        Writer writer = claimed("order-1");
        Instant timer = store.now().plusSeconds(60);
        writer.write(writer.step().schedules(1).wakesAt(timer).staysAwake());
        ClaimedJob job = claimJob(session);
        update(new JobUpdate.Heartbeat(job.key(), job.lease(), "{\"row\": 7}"));
        signalled(writer.run(), "approve");

        RunDetails details = details(writer.run());

        assertThat(details.run()).isEqualTo(store.run(writer.run().runId()).orElseThrow());
        assertThat(details.historyLength()).isEqualTo(2);
        assertThat(details.stalledBy()).isNull();
        assertThat(details.ownedUntil()).isAfter(store.now());
        assertThat(details.lastSession()).isEqualTo(session);
        assertThat(details.messages()).isEqualTo(1);
        assertThat(details.jobs()).singleElement().satisfies(pending -> {
            assertThat(pending.seq()).isEqualTo(1);
            assertThat(pending.activity()).isEqualTo(ACTIVITY);
            assertThat(pending.heartbeatDetails()).isEqualTo("{\"row\": 7}");
        });
    }

    @Test
    void a_closed_run_is_described_without_anything_going_on() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1).wakesAt(store.now().plusSeconds(60)));
        writer.write(writer.closing());

        RunDetails details = details(writer.run());

        assertThat(details.run().status()).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(details.historyLength()).isEqualTo(3);
        assertThat(details.ownedUntil()).isNull();
        assertThat(details.wakeAt()).isNull();
        assertThat(details.messages()).isZero();
        assertThat(details.jobs()).isEmpty();
    }

    private void startedOneByOne(int runs) {
        for (int i = 0; i < runs; i++) {
            started("order-" + i);
            advance(Duration.ofMillis(5));
        }
    }

    private List<String> list(Filter filter) {
        return store.runs(filter.build(), 100).stream()
                .map(run -> run.run().workflowId())
                .toList();
    }

    /** A filter in the making. */
    private static final class Filter {
        private Set<String> types = Set.of();
        private Set<WorkflowStatus> statuses = Set.of();
        private String id;
        private String prefix;
        private Instant startedAfter;
        private Instant startedBefore;
        private Instant closedAfter;
        private Instant closedBefore;
        private String queue;
        private boolean stalled;
        private boolean newestFirst = true;
        private UUID after;

        Filter types(String... wanted) {
            types = Set.of(wanted);
            return this;
        }

        Filter statuses(WorkflowStatus... wanted) {
            statuses = Set.of(wanted);
            return this;
        }

        Filter id(String wanted) {
            id = wanted;
            return this;
        }

        Filter prefix(String wanted) {
            prefix = wanted;
            return this;
        }

        Filter startedAfter(Instant when) {
            startedAfter = when;
            return this;
        }

        Filter startedBefore(Instant when) {
            startedBefore = when;
            return this;
        }

        Filter closedAfter(Instant when) {
            closedAfter = when;
            return this;
        }

        Filter closedBefore(Instant when) {
            closedBefore = when;
            return this;
        }

        Filter queue(String wanted) {
            queue = wanted;
            return this;
        }

        Filter stalled() {
            stalled = true;
            return this;
        }

        Filter oldestFirst() {
            newestFirst = false;
            return this;
        }

        Filter after(UUID last) {
            after = last;
            return this;
        }

        RunFilter build() {
            return new RunFilter(
                    types,
                    null,
                    statuses,
                    id,
                    prefix,
                    startedAfter,
                    startedBefore,
                    closedAfter,
                    closedBefore,
                    queue,
                    stalled,
                    newestFirst,
                    after,
                    null,
                    null,
                    null,
                    null);
        }
    }

    @Test
    void a_tally_counts_each_state_of_what_a_filter_finds() {
        started("batch/1");
        terminated(started("batch/2"));
        terminated(started("batch/3"));
        started("batch-1");
        started("batch0");

        assertThat(store.tally(RunFilter.ALL.workflowIdPrefix("batch/")))
                .isEqualTo(Map.of(WorkflowStatus.RUNNING, 1L, WorkflowStatus.TERMINATED, 2L));
        assertThat(store.tally(RunFilter.ALL.workflowIdPrefix("nothing"))).isEmpty();
    }
}
