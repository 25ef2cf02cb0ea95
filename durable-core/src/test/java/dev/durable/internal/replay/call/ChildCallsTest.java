package dev.durable.internal.replay.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.durable.CancelledException;
import dev.durable.ChildCancellationType;
import dev.durable.ChildFailedException;
import dev.durable.ChildHandle;
import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.ParentClosePolicy;
import dev.durable.Promise;
import dev.durable.UsageException;
import dev.durable.history.Payload;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.replay.GivenRun;
import dev.durable.internal.replay.Scripted;
import dev.durable.internal.replay.match.PendingWait;
import dev.durable.internal.text.Bounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Children as commands: numbered in their order, and the same on replay after each turn. */
class ChildCallsTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private static ChildHandle<Addressee, @Nullable Void> child() {
        return Durable.startVoidChild(Addressee.class, Addressee::run);
    }

    private static ChildHandle<Addressee, @Nullable Void> child(ChildOptions options) {
        return Durable.startVoidChild(Addressee.class, options, Addressee::run);
    }

    private static void refused(Scripted w, Runnable call) {
        try {
            call.run();
            w.see("went through");
        } catch (UsageException e) {
            w.see(e.getMessage());
        }
    }

    @Test
    void children_count_apart_from_the_messages_with_which_their_starts_count() {
        try (GivenRun run = GivenRun.of(w -> {
            Durable.external(Addressee.class, "a").cancel("why");
            ChildHandle<Addressee, @Nullable Void> first = child(ChildOptions.id("c"));
            first.signal(x -> x.hear("1"));
            first.started();
            first.started();
            first.cancel("enough");
            first.cancel("again");
            child();
            Durable.external(Addressee.class, "a").cancel("last");
            Durable.await(() -> false);
            return "";
        })) {
            run.expect(
                    "cancel workflow 1 a: why",
                    "child 1 Addressee c[]",
                    "signal child 1 hear[\"1\"]",
                    "watch child 1",
                    "cancel child 1: enough",
                    "child 2 Addressee run-1:002a-2[]",
                    "cancel workflow 7 a: last");
        }
    }

    @Test
    void nothing_is_sent_to_a_child_whose_end_is_known() {
        try (GivenRun run = GivenRun.of(w -> {
            ChildHandle<Addressee, @Nullable Void> child = child();
            child.result();
            child.signal("hear", "late");
            child.cancel();
            child.started().get();
            w.see("started");
            return "";
        })) {
            run.childCompleted(1, Payload.NULL).expect().expectSeen("started").expectClose("completed \"\"");
        }
    }

    @Test
    void the_outcome_of_another_run_of_the_id_is_not_taken() {
        try (GivenRun run = GivenRun.of(w -> {
            child().result();
            return "";
        })) {
            run.expectNotAcceptedOfOther(1);
        }
    }

    @Test
    void the_end_of_the_run_gives_no_command_for_its_children_and_does_not_wait_for_them() {
        try (GivenRun run = GivenRun.of(w -> {
            Promise<?> waits = Durable.async(() -> child().result());
            Durable.sleep(HOUR);
            w.see("waits " + waits.isDone());
            return "";
        })) {
            run.fired(1).expect().expectClose("completed \"\"");
        }
    }

    @Test
    void the_cancellation_of_a_coroutine_asks_its_children_to_cancel_and_waits_for_them() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                child().result();
            } catch (CancelledException e) {
                w.see("cancelled");
                throw e;
            }
            return "";
        })) {
            run.cancelRequested("stop").expect("cancel child 1: the run was cancelled by ann: stop");
            run.expectOpen().expectSeen();
            run.childCancelled(1).expectSeen("cancelled").expectClose("cancelled stop");
        }
    }

    @Test
    void a_promise_that_reads_the_result_as_another_type_settles_with_the_child() {
        try (GivenRun run = GivenRun.of(w -> {
            ChildHandle<?, ?> known = child(ChildOptions.id("c"));
            ChildHandle<?, ?> failing = child(ChildOptions.id("f"));
            Promise<Integer> number = known.resultPromiseAs(Integer.class);
            Promise<Integer> none = failing.resultPromiseAs(Integer.class);
            w.see("got " + (number.get() + 1) + " and " + known.resultAs(Long.class));
            try {
                none.get();
            } catch (ChildFailedException e) {
                w.see(e.workflowId() + " " + e.status());
            }
            return "";
        })) {
            run.childCompleted(1, new Payload("7")).expectSeen("got 8 and 7");
            run.childFailed(2, new IllegalStateException("no truck")).expectSeen("got 8 and 7", "f FAILED");
        }
    }

    @Test
    void the_cancellation_of_a_promise_that_reads_another_type_is_that_of_the_child() {
        try (GivenRun run = GivenRun.of(w -> {
            ChildOptions options = ChildOptions.id("c").cancellation(ChildCancellationType.TRY_CANCEL);
            Promise<Integer> number = child(options).resultPromiseAs(Integer.class);
            number.cancel();
            try {
                number.get();
            } catch (CancelledException e) {
                w.see(e.getMessage());
            }
            Durable.await(() -> false);
            return "";
        })) {
            run.expect("child 1 Addressee c[]", "cancel child 1: Promise.cancel was called");
            run.expectSeen("child 1 Addressee c was cancelled: Promise.cancel was called");
        }
    }

    @Test
    void the_end_of_a_cancelled_child_for_which_the_close_waits_is_shown() {
        try (GivenRun run = GivenRun.of(w -> {
            child(ChildOptions.id("c")).resultPromise().cancel();
            Durable.sleep(HOUR);
            return "";
        })) {
            run.fired(1).expectOpen();
            assertThat(run.instance().waits())
                    .extracting(PendingWait::coroutine, PendingWait::what)
                    .containsExactly(tuple("close", "the end of cancelled child 1 Addressee c"));
            run.childCancelled(1).expectClose("completed \"\"");
        }
    }

    @Test
    void the_policies_of_open_children_are_applied_before_the_run_is_undone() {
        try (GivenRun run = GivenRun.of(w -> {
            Durable.compensate(() -> w.see("undone"));
            for (ParentClosePolicy policy : ParentClosePolicy.values()) {
                child(ChildOptions.defaults().parentClosePolicy(policy));
            }
            Durable.sleep(HOUR);
            throw new IllegalStateException("no stock");
        })) {
            run.fired(1)
                    .expect(
                            "terminate child 1: its parent is being undone",
                            "cancel child 2: its parent is being undone");
            run.expectSeen();
            run.childCompleted(1, Payload.NULL).expectSeen();
            run.childCancelled(2).expectSeen("undone");
        }
    }

    @Test
    void thousands_of_children_wait_at_once() {
        try (GivenRun run = GivenRun.of(w -> {
            List<Promise<@Nullable Void>> all = new ArrayList<>();
            for (int i = 0; i < Bounds.OPEN_CHILDREN; i++) {
                all.add(child().resultPromise());
            }
            refused(w, ChildCallsTest::child);
            Promise.all(all);
            return "";
        })) {
            run.expectSeen(
                    "Durable.startChild(Addressee.class, …) started nothing: this run has 10000 open children, and"
                            + " may have 10000. Wait for some of them first: Promise.map(items, 1_000, item ->"
                            + " Durable.startChild(…).result()), or let each child start children of its own.");
        }
    }

    @Test
    void what_can_be_no_child_is_refused_with_the_way_out() {
        try (GivenRun run = GivenRun.of(w -> {
            refused(w, () -> child(ChildOptions.id("run-1")));
            refused(w, () -> child(ChildOptions.id(" ")));
            refused(w, () -> Durable.startVoidChild(Addressee.class, x -> x.hear("no run method")));
            refused(w, () -> Durable.startChild(BackgroundJob.TYPE, ChildOptions.defaults(), String.class, "x"));
            refused(w, () -> child().signal("shout", "x"));
            child();
            return "";
        })) {
            run.expect("child 1 Addressee run-1:002a-1[]", "child 2 Addressee run-1:002a-2[]");
            run.expectSeenContaining(
                    "run-1 is the workflow id of this run itself, which is open. Leave the id out",
                    "workflow id",
                    "started nothing",
                    "A background job can't be a child: call the activity through a stub, or by Durable.async(…)",
                    "ChildHandle.signal sent nothing. workflow Addressee has no signal shout; it has [hear]");
        }
    }

    @Test
    void a_handle_belongs_to_the_run_that_started_the_child() {
        AtomicReference<ChildHandle<Addressee, @Nullable Void>> kept = new AtomicReference<>();
        try (GivenRun first = GivenRun.of(w -> {
            kept.compareAndSet(null, child());
            Durable.await(() -> false);
            return "";
        })) {
            try (GivenRun second = GivenRun.of(w -> {
                refused(w, () -> kept.get().cancel());
                return "";
            })) {
                second.expectSeenContaining("ChildHandle.cancel was called on a child of another run.");
            }
        }
    }

    @Test
    void a_failure_of_a_child_that_nobody_names_is_data() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                child(ChildOptions.id("c")).result();
            } catch (ChildFailedException e) {
                w.see(e.getMessage() + " / " + e.status());
            }
            return "";
        })) {
            run.childFailed(1, new IllegalStateException("no truck"))
                    .expectSeen("child 1 Addressee c ended failed: java.lang.IllegalStateException: no truck / FAILED");
        }
    }
}
