package dev.durable.store.contract;

import static dev.durable.store.Delivery.Outcome.ACCEPTED;
import static dev.durable.store.Delivery.Outcome.INBOX_FULL;
import static dev.durable.store.Delivery.Outcome.INBOX_TOO_LARGE;
import static dev.durable.store.Delivery.Outcome.NOT_FOUND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.store.ClaimedJob;
import dev.durable.store.Delivery;
import dev.durable.store.HeldJob;
import dev.durable.store.JobRoute;
import dev.durable.store.JobStart;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewJob;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Messages to runs: each once, in order, until consumed. */
abstract class InboxContract extends StoreContract {

    @Test
    void a_message_reaches_the_open_run_of_its_workflow_id() {
        RunKey run = started("order-1");
        Instant before = store.now();
        InboxMessage sent = signal("approve", "[\"kim\"]");

        assertThat(deliver("order-1", sent)).isEqualTo(ACCEPTED);

        InboxMessage waiting = waiting(run).getFirst();
        assertThat(waiting.messageId()).isEqualTo(sent.messageId());
        assertThat(waiting.kind()).isEqualTo(MessageKind.SIGNAL);
        assertThat(waiting.name()).isEqualTo("approve");
        assertThat(waiting.payload()).isEqualTo("[\"kim\"]");
        assertThat(waiting.notes()).isNull();
        assertThat(waiting.at()).isBetween(before, store.now());
    }

    @Test
    void a_message_reaches_exactly_the_run_it_names() {
        RunKey run = started("order-1");

        assertThat(deliver(run, signal("approve"))).isEqualTo(ACCEPTED);
        assertThat(waitingNames(run)).containsExactly("approve");
    }

    @Test
    void every_kind_of_message_keeps_its_kind() {
        RunKey run = started("order-1");
        for (MessageKind kind : List.of(MessageKind.SIGNAL, MessageKind.UPDATE, MessageKind.CANCEL)) {
            deliver(run, new InboxMessage(UUID.randomUUID(), kind, kind.name(), "{}", null, null));
        }

        assertThat(waiting(run))
                .extracting(InboxMessage::kind)
                .containsExactly(MessageKind.SIGNAL, MessageKind.UPDATE, MessageKind.CANCEL);
    }

    @Test
    void a_message_of_an_unknown_kind_is_read_as_such_and_keeps_no_other_run_from_being_claimed() {
        List<RunKey> runs =
                IntStream.range(0, 5).mapToObj(i -> started("order-" + i)).toList();
        runs.forEach(run -> deliver(run, signal("approve")));
        RunKey poisoned = runs.get(2);
        deliver(poisoned, new InboxMessage(UUID.randomUUID(), MessageKind.UNKNOWN, "later", "{}", null, null));

        assertThat(claimedIds(session))
                .containsExactlyInAnyOrder("order-0", "order-1", "order-2", "order-3", "order-4");
        assertThat(waiting(poisoned))
                .extracting(InboxMessage::kind)
                .containsExactly(MessageKind.SIGNAL, MessageKind.UNKNOWN);
    }

    @Test
    void a_message_to_nobody_is_not_found() {
        assertThat(deliver("order-1", signal("approve"))).isEqualTo(NOT_FOUND);
    }

    @Test
    void a_message_to_a_closed_run_is_not_found() {
        RunKey run = started("order-1");
        terminated(run);

        assertThat(deliver(run, signal("approve"))).isEqualTo(NOT_FOUND);
        assertThat(deliver("order-1", signal("approve"))).isEqualTo(NOT_FOUND);
    }

    @Test
    void a_message_that_names_a_closed_run_does_not_reach_its_successor() {
        RunKey first = started("order-1");
        terminated(first);
        RunKey second = started("order-1");

        assertThat(deliver(first, signal("approve"))).isEqualTo(NOT_FOUND);
        assertThat(waiting(second)).isEmpty();
        assertThat(deliver("order-1", signal("approve"))).isEqualTo(ACCEPTED);
        assertThat(waiting(second)).hasSize(1);
    }

    @Test
    void messages_wait_in_the_order_in_which_they_were_accepted() {
        RunKey run = started("order-1");
        List<Delivery> batch = IntStream.range(0, 20)
                .mapToObj(i -> new Delivery("order-1", null, signal("in-batch-" + i)))
                .toList();
        signalled(run, "before");
        store.deliver(batch);
        signalled(run, "after");

        List<String> names = new ArrayList<>(List.of("before"));
        batch.forEach(delivery -> names.add(delivery.message().name()));
        names.add("after");
        assertThat(waitingNames(run)).containsExactlyElementsOf(names);
    }

    @Test
    void messages_are_read_up_to_the_limit_of_each_run_and_runs_without_are_left_out() {
        RunKey one = started("order-1");
        RunKey two = started("order-2");
        RunKey none = started("order-3");
        List.of("a", "b", "c").forEach(name -> signalled(one, name));
        signalled(two, "d");

        Map<UUID, List<InboxMessage>> found = store.messages(List.of(one, two, none), 2);

        assertThat(found).containsOnlyKeys(one.runId(), two.runId());
        assertThat(found.get(one.runId())).extracting(InboxMessage::name).containsExactly("a", "b");
        assertThat(found.get(two.runId())).extracting(InboxMessage::name).containsExactly("d");
    }

    @Test
    void a_resent_message_waits_once() {
        RunKey run = started("order-1");
        InboxMessage approve = signalled(run, "approve");
        signalled(run, "later");

        assertThat(deliver(run, approve)).isEqualTo(ACCEPTED);
        assertThat(waitingNames(run)).containsExactly("approve", "later");
    }

    @Test
    void one_message_twice_in_a_batch_waits_once() {
        RunKey run = started("order-1");
        Delivery approve = new Delivery("order-1", null, signal("approve"));

        assertThat(store.deliver(List.of(approve, approve))).containsExactly(ACCEPTED, ACCEPTED);
        assertThat(waiting(run)).hasSize(1);
    }

    @Test
    void a_message_resent_after_it_was_consumed_waits_again_and_may_be_dropped_without_an_event() {
        Writer writer = claimed("order-1");
        InboxMessage approve = signalled(writer.run(), "approve");
        writer.write(writer.step().consumes(approve));

        assertThat(deliver(writer.run(), approve)).isEqualTo(ACCEPTED);
        assertThat(waitingNames(writer.run())).containsExactly("approve");

        assertThat(writer.write(writer.step().drops(approve))).isEqualTo(Transition.Outcome.APPLIED);
        assertThat(waiting(writer.run())).isEmpty();
        assertThat(eventTypes(writer.run())).containsExactly("WorkflowStarted", "SignalReceived");
    }

    @Test
    void a_message_resent_after_the_run_that_consumed_it_closed_was_accepted() {
        Writer writer = claimed("order-1");
        InboxMessage approve = signalled(writer.run(), "approve");
        writer.write(writer.closing().consumes(approve));

        assertThat(deliver(writer.run(), approve)).isEqualTo(ACCEPTED);
        assertThat(deliver("order-1", approve)).isEqualTo(ACCEPTED);
        assertThat(deliver("order-1", signal("another"))).isEqualTo(NOT_FOUND);
    }

    @Test
    void one_refusal_in_a_batch_touches_no_neighbour() {
        RunKey open = started("order-1");
        terminated(started("order-2"));

        assertThat(store.deliver(List.of(
                        new Delivery("order-2", null, signal("a")),
                        new Delivery("order-1", null, signal("b")),
                        new Delivery("order-3", null, signal("c")),
                        new Delivery("order-1", open.runId(), signal("d")))))
                .containsExactly(NOT_FOUND, ACCEPTED, NOT_FOUND, ACCEPTED);
        assertThat(waitingNames(open)).containsExactly("b", "d");
    }

    @Test
    void a_full_inbox_takes_no_more_until_something_was_consumed() {
        Writer writer = claimed("order-1");
        List<Delivery> fill = IntStream.range(0, fixture.inboxLimit().messages())
                .mapToObj(i -> new Delivery("order-1", null, signal("fill")))
                .toList();
        assertThat(store.deliver(fill)).containsOnly(ACCEPTED);

        assertThat(deliver(writer.run(), signal("too-much"))).isEqualTo(INBOX_FULL);
        assertThat(deliver(writer.run(), fill.getFirst().message()))
                .as("one that waits already")
                .isEqualTo(ACCEPTED);

        writer.write(writer.step().consumes(fill.getFirst().message()));
        assertThat(deliver(writer.run(), signal("room-again"))).isEqualTo(ACCEPTED);
    }

    @Test
    void an_inbox_that_holds_as_many_bytes_as_it_may_takes_no_more_until_some_were_consumed() {
        Writer writer = claimed("order-1");
        RunKey other = started("order-2");
        int size = (int) fixture.inboxLimit().bytes() / 4;
        InboxMessage first = signal("s0", text(size));
        assertThat(deliver(writer.run(), first)).isEqualTo(ACCEPTED);
        for (int i = 1; i < 4; i++) {
            assertThat(deliver(writer.run(), signal("s" + i, text(size)))).isEqualTo(ACCEPTED);
        }

        assertThat(deliver(writer.run(), signal("short"))).isEqualTo(INBOX_TOO_LARGE);
        assertThat(deliver(writer.run(), first)).as("one that waits already").isEqualTo(ACCEPTED);
        assertThat(deliver(other, signal("short"))).isEqualTo(ACCEPTED);

        writer.write(writer.step().consumes(first));
        assertThat(deliver(writer.run(), signal("room-again"))).isEqualTo(ACCEPTED);
        assertThat(waitingNames(writer.run()).getFirst()).isEqualTo("s1");
    }

    @Test
    void a_full_inbox_still_takes_the_outcome_of_an_activity() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1));
        var job = claimJob(session);
        IntStream.range(0, fixture.inboxLimit().messages()).forEach(i -> deliver(writer.run(), signal("fill")));

        assertThat(update(completed(job))).isEqualTo(JobUpdate.Outcome.ACCEPTED);
        assertThat(waitingNames(writer.run())).endsWith("ActivityCompleted");
    }

    @Test
    void a_message_wakes_a_resting_run() {
        Writer writer = parked("order-1");
        assertThat(claimRuns(session)).isEmpty();

        signalled(writer.run(), "approve");

        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    @Test
    void a_message_wakes_a_run_before_its_timer() {
        RunKey run = started(newRun("order-1").wakeAt(store.now().plus(Duration.ofDays(1))));

        signalled(run, "approve");

        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    // ── a background job that is asked to cancel ────────────────────────────────────────────────────────────────────

    @Test
    void a_background_job_that_is_asked_to_cancel_before_it_began_is_never_claimed() {
        RunKey run = started(newRun("job-1").type(JobStart.TYPE).schedules(backgroundJob()));

        assertThat(deliver(run, cancel())).isEqualTo(ACCEPTED);

        assertThat(claimJobs(session)).isEmpty();
        assertThat(waitingNames(run)).containsExactly("cancel", "ActivityCancelled");
    }

    @Test
    void a_background_job_that_runs_and_is_asked_to_cancel_ends_when_it_is_given_back() {
        RunKey run = started(newRun("job-1").type(JobStart.TYPE).schedules(backgroundJob()));
        ClaimedJob job = claimJob(session);

        deliver(run, cancel());

        assertThat(store.held(session)).singleElement().matches(HeldJob::cancelRequested);
        update(new JobUpdate.Release(job.key(), job.lease(), Duration.ZERO, null, true, null));
        assertThat(claimJobs(session)).isEmpty();
        assertThat(waitingNames(run)).containsExactly("cancel", "ActivityCancelled");
    }

    @Test
    void the_jobs_of_a_workflow_that_is_asked_to_cancel_are_its_own_affair() {
        Writer writer = scheduled("order-1", 1);

        deliver(writer.run(), cancel());

        assertThat(waitingNames(writer.run())).containsExactly("cancel");
        assertThat(claimJobs(session)).hasSize(1);
    }

    private NewJob backgroundJob() {
        NewJob plain = Outcomes.job(1, store.now());
        return new NewJob(
                1,
                new JobRoute(plain.route().activity(), plain.route().taskQueue(), JobStart.TYPE),
                plain.priority(),
                plain.content(),
                plain.deadlines().with(null, null),
                plain.maxWorkerCrashes(),
                null,
                null,
                Duration.ZERO);
    }

    private static InboxMessage cancel() {
        return new InboxMessage(UUID.randomUUID(), MessageKind.CANCEL, "cancel", "{}", null, null);
    }
}
