package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;
import static dev.durable.testing.DurableAssertions.catchThrowable;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.HandlerUnfinishedPolicy;
import dev.durable.Query;
import dev.durable.QueryFailedException;
import dev.durable.RefusedInputException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.UpdateFailedException;
import dev.durable.UpdateNotCompletedException;
import dev.durable.UpdateRejectedException;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.UpdateHandle;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.Payload;
import dev.durable.history.SignalReceived;
import dev.durable.history.UpdateAccepted;
import dev.durable.internal.engine.EngineBuilder;
import dev.durable.store.Delivery;
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Updates as their callers and the code of a run see them. Run on each kind of store. */
abstract class UpdatesTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @SuppressWarnings("serial")
    static class Unknown extends Exception {
        Unknown(String message) {
            super(message);
        }
    }

    @Activity
    interface Post {
        String normalise(String address);
    }

    @Workflow
    static class Parcel {
        private final Post post;
        private final List<String> addresses = new ArrayList<>();
        private boolean delivered;

        Parcel(Post post) {
            this.post = post;
        }

        @Run
        public List<String> run(String first) {
            addresses.add(first);
            Durable.await(() -> delivered);
            return addresses;
        }

        @Update
        public String redirect(String address) throws Unknown {
            if (address.equals("nowhere")) {
                throw new Unknown(address);
            }
            String normal = post.normalise(address);
            addresses.add(normal);
            return normal;
        }

        @Update.Validator("redirect")
        void check(String address) throws Unknown, InterruptedException {
            switch (address) {
                case "block" -> new CountDownLatch(1).await();
                case "second" -> {
                    if (addresses.size() == 1) {
                        throw new IllegalArgumentException("no other was noted before");
                    }
                }
                case "" -> throw new IllegalArgumentException("an address has letters");
                case "unlisted" -> throw new Unknown(address);
                case "deep" -> throw new StackOverflowError();
                case "wait" -> Durable.sleep(HOUR);
                default -> {}
            }
        }

        @Update
        public void note(String address) {
            addresses.add(address);
        }

        @Update(name = "late")
        public String addLater(Duration pause) {
            Durable.sleep(pause);
            return "at last";
        }

        @Update(unfinishedPolicy = HandlerUnfinishedPolicy.WAIT)
        public String kept(Duration pause) {
            Durable.sleep(pause);
            return "kept";
        }

        @Update
        public int breaks() {
            throw new IllegalStateException("broken");
        }

        @Update
        public String finish() {
            delivered = true;
            return "finished";
        }

        @Signal
        public void deliver() {
            delivered = true;
        }

        @Query
        public int count(boolean blocks) throws InterruptedException {
            new CountDownLatch(blocks ? 1 : 0).await();
            return addresses.size();
        }
    }

    private final AtomicInteger calls = new AtomicInteger();

    private WorkflowHandle<Parcel, List<String>> parcel(TestEngine engine) {
        engine.register(Parcel.class).activity(Post.class, address -> {
            calls.incrementAndGet();
            return address.toUpperCase(java.util.Locale.ROOT);
        });
        WorkflowHandle<Parcel, List<String>> run = engine.client().start(Parcel.class, "p-1", w -> w.run("home"));
        engine.settle();
        return run;
    }

    private static List<String> types(WorkflowHandle<?, ?> run) {
        return run.history().stream().map(HistoryEvent::type).toList();
    }

    /** Puts an update into the inbox without waiting for it, as a caller whose process dies then. */
    private static UpdateAccepted deliver(TestEngine engine, WorkflowHandle<?, ?> run, String id, String address) {
        UpdateAccepted update = new UpdateAccepted(
                1, Instant.EPOCH, UUID.randomUUID(), id, "redirect", new Payload("[\"" + address + "\"]"));
        deliver(engine, run, update);
        return update;
    }

    private static void deliver(TestEngine engine, WorkflowHandle<?, ?> run, UpdateAccepted update) {
        assertThat(engine.store()
                        .deliver(List.of(new Delivery(
                                run.workflowId(),
                                run.runId(),
                                new InboxMessage(
                                        update.messageId(),
                                        MessageKind.UPDATE,
                                        update.name(),
                                        EventJson.attributes(update),
                                        null,
                                        null)))))
                .containsExactly(Delivery.Outcome.ACCEPTED);
    }

    // ── answers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_handler_calls_an_activity_and_its_caller_gets_what_it_returns(TestEngine engine) throws Unknown {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);

        String normal = run.update(w -> w.redirect("elm street"));

        assertThat(normal).isEqualTo("ELM STREET");
        run.signal(Parcel::deliver);
        assertThat(run.result()).containsExactly("home", "ELM STREET");
        assertThat(types(run))
                .containsSubsequence("UpdateAccepted", "ActivityScheduled", "ActivityCompleted", "UpdateCompleted");
    }

    @Test
    void an_update_that_returns_nothing_returns_when_its_handler_has(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        run.updateVoid(w -> w.note("work"));
        run.signal(Parcel::deliver);
        assertThat(run.result()).containsExactly("home", "work");
    }

    @Test
    void an_update_is_called_by_name(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        String normal = run.update("redirect", String.class, "oak");
        String later = engine.client().handle("p-1").update("late", String.class, HOUR);
        assertThat(List.of(normal, later)).containsExactly("OAK", "at last");
    }

    @Test
    void an_update_that_ends_the_run_is_answered_with_its_end(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        String answer = run.update(Parcel::finish);
        assertThat(answer).isEqualTo("finished");
        assertThat(run.result()).containsExactly("home");
    }

    @Test
    void a_handle_sends_each_update_to_the_run_that_is_open_then(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> first = parcel(engine);
        WorkflowHandle<Parcel, ?> byId = engine.client().handle(Parcel.class, "p-1");
        byId.updateVoid(w -> w.note("work"));
        first.update(Parcel::finish);
        assertThatThrownBy(() -> byId.updateVoid(w -> w.note("nowhere"))).isInstanceOf(WorkflowNotFoundException.class);

        WorkflowHandle<Parcel, List<String>> second = engine.client().start(Parcel.class, "p-1", w -> w.run("away"));
        byId.updateVoid(w -> w.note("hotel"));
        second.update(Parcel::finish);
        WorkflowHandle<Parcel, List<String>> third = engine.client().start(Parcel.class, "p-1", w -> w.run("back"));
        byId.updateVoid(w -> w.note("home"));
        assertThatThrownBy(() -> first.updateVoid(w -> w.note("late"))).isInstanceOf(WorkflowNotFoundException.class);
        third.signal(Parcel::deliver);

        assertThat(first.result()).containsExactly("home", "work");
        assertThat(second.result()).containsExactly("away", "hotel");
        assertThat(third.result()).containsExactly("back", "home");
    }

    @Test
    void an_id_that_an_ended_run_has_answered_goes_to_the_run_that_is_open_by_each_handle(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> first = parcel(engine);
        WorkflowHandle<Parcel, ?> byId = engine.client().handle(Parcel.class, "p-1");
        byId.startUpdateVoid("u-1", w -> w.note("work"), WaitFor.COMPLETED);
        first.update(Parcel::finish);

        WorkflowHandle<Parcel, List<String>> second = engine.client().start(Parcel.class, "p-1", w -> w.run("away"));
        byId.startUpdateVoid("u-1", w -> w.note("hotel"), WaitFor.COMPLETED);
        second.signal(Parcel::deliver);

        assertThat(second.result()).containsExactly("away", "hotel");
    }

    // ── failures ────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_exception_that_the_handler_declares_comes_back_as_itself_and_the_run_goes_on(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);

        assertThatThrownBy(() -> run.update(w -> w.redirect("nowhere")))
                .isInstanceOf(Unknown.class)
                .hasMessage("nowhere")
                .satisfies(e -> assertThat(e.getSuppressed()).hasAtLeastOneElementOfType(UpdateFailedException.class));
        assertThat(types(run)).endsWith("UpdateAccepted", "UpdateFailed");
        assertThatThrownBy(() -> run.startUpdate("u-1", w -> w.redirect("nowhere"), WaitFor.COMPLETED)
                        .result())
                .isInstanceOf(Unknown.class);
        assertThatThrownBy(() -> run.updateHandle("u-1", String.class).result())
                .as("found again by its id")
                .isInstanceOf(Unknown.class)
                .hasMessage("nowhere");
        run.signal(Parcel::deliver);
        assertThat(run.result()).containsExactly("home");
    }

    @Test
    void any_other_exception_is_the_cause_of_an_update_failed_exception(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);

        assertThatThrownBy(() -> run.update((Parcel w) -> w.breaks()))
                .isInstanceOf(UpdateFailedException.class)
                .isNotInstanceOf(UpdateRejectedException.class)
                .hasMessageContaining(") of p-1 failed: java.lang.IllegalStateException: broken")
                .hasRootCauseMessage("java.lang.IllegalStateException: broken");
        run.signal(Parcel::deliver);
        assertThat(run.result()).containsExactly("home");
    }

    // ── rejections ──────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void what_the_validator_rejects_leaves_no_event(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        List<String> before = types(run);

        assertThatThrownBy(() -> run.update(w -> w.redirect("")))
                .isInstanceOf(UpdateRejectedException.class)
                .hasMessageContaining("was rejected, and its run has seen nothing of it")
                .hasMessageContaining("an address has letters");
        assertThatThrownBy(() -> run.update(w -> w.redirect("unlisted"))).isInstanceOf(Unknown.class);
        assertThatThrownBy(() -> run.update(w -> w.redirect("deep")))
                .as("an Error rejects, it stalls nothing")
                .isInstanceOf(UpdateRejectedException.class);
        assertThatThrownBy(() -> run.update(w -> w.redirect("wait")))
                .isInstanceOf(UpdateRejectedException.class)
                .hasMessageContaining("was called in the validator of an update");

        assertThat(types(run)).isEqualTo(before);
        assertThat(run.describe().stalledBy()).isNull();
    }

    @Test
    void a_validator_that_blocks_is_given_up_and_the_run_goes_on(TestEngine engine) throws Unknown {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        List<String> before = types(run);

        assertThatThrownBy(() -> run.update(w -> w.redirect("block")))
                .isInstanceOf(UpdateRejectedException.class)
                .hasMessageContaining("its judgement was given up: UpdatesTest.Parcel.check(UpdatesTest.java:")
                .hasMessageContaining(
                        ") blocks in CountDownLatch.await. Queries and validators of updates may only look at");

        assertThat(types(run)).isEqualTo(before);
        String normal = run.update(w -> w.redirect("elm"));
        assertThat(normal).isEqualTo("ELM");
        assertThat(run.describe().stalledBy()).isNull();
    }

    @Test
    void messages_that_wait_with_an_update_that_is_given_up_are_handled_once(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        run.pause("away");
        engine.settle();
        deliver(engine, run, "u-1", "elm");
        UpdateAccepted blocks = deliver(engine, run, "u-2", "block");
        UpdateAccepted blocksToo = deliver(engine, run, "u-3", "block");
        deliver(engine, run, "u-4", "oak");
        run.signal(Parcel::deliver);
        run.resume();

        assertThat(run.result()).containsExactly("home");
        assertThat(types(run)).filteredOn("UpdateAccepted"::equals).hasSize(2);
        assertThat(engine.store().replies(List.of(question(run, blocks), question(run, blocksToo))))
                .allSatisfy(state ->
                        assertThat(state.reply()).extracting(Reply::kind).isEqualTo(Reply.Kind.REJECTED));
    }

    private static Reply.Question question(WorkflowHandle<?, ?> run, UpdateAccepted update) {
        return new Reply.Question(
                new RunKey(run.runId(), run.workflowId()), update.messageId(), Reply.idOf(update.updateId()));
    }

    @Test
    void a_query_that_blocks_is_given_up_and_the_run_goes_on(TestEngine engine) throws Unknown {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);

        assertThatThrownBy(() -> run.query(w -> w.count(true)))
                .isInstanceOf(QueryFailedException.class)
                .hasMessageStartingWith(
                        "query 'count' of Parcel was given up: UpdatesTest.Parcel.count(UpdatesTest.java:")
                .hasMessageContaining(") blocks in CountDownLatch.await. Queries and validators");

        int count = run.query(w -> w.count(false));
        assertThat(count).isEqualTo(1);
        String normal = run.update(w -> w.redirect("elm"));
        assertThat(normal).isEqualTo("ELM");
    }

    @Test
    void arguments_of_other_types_and_unknown_names_are_rejected_by_the_run(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        WorkflowHandle<?, ?> untyped = engine.client().handle("p-1");

        assertThatThrownBy(() -> run.update("rename", String.class))
                .isInstanceOf(RefusedInputException.class)
                .hasMessage("workflow Parcel has no update rename; it has"
                        + " [breaks, finish, kept, late, note, redirect]");
        assertThatThrownBy(() -> untyped.update("late", String.class, "soon")).isInstanceOf(Exception.class);
        assertThat(types(run)).doesNotContain("UpdateAccepted");
        run.signal(Parcel::deliver);
        assertThat(run.result()).containsExactly("home");
    }

    @Test
    void a_rejected_update_id_may_be_sent_again(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        assertThatThrownBy(() -> run.startUpdate("u-1", w -> w.redirect(""), WaitFor.ACCEPTED))
                .isInstanceOf(UpdateRejectedException.class);

        UpdateHandle<String> again = run.startUpdate("u-1", WaitFor.COMPLETED, "redirect", String.class, "elm");

        assertThat(again.result()).isEqualTo("ELM");
    }

    @Test
    void a_rejected_message_that_is_sent_again_as_its_answer_was_lost_is_not_judged_again(TestEngine engine) {
        // The run stays in memory, also under hard settings: here the store is not told that the message was sent
        // before.
        engine.configure(builder -> ((EngineBuilder) builder).cacheBytes(1 << 20));
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        UpdateAccepted rejected = deliver(engine, run, "u-1", "second");
        engine.settle();
        run.updateVoid(w -> w.note("work"));

        deliver(engine, run, rejected);
        engine.settle();

        assertThat(calls).as("calls of its handler").hasValue(0);
        assertThat(run.describe().waitingMessages()).isZero();
        assertThat(engine.store()
                        .replies(List.of(question(run, rejected)))
                        .getFirst()
                        .reply())
                .extracting(Reply::kind)
                .isEqualTo(Reply.Kind.REJECTED);
    }

    // ── ids ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_update_id_is_handled_once_and_answered_as_often_as_it_is_asked(TestEngine engine) throws Unknown {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);

        UpdateHandle<String> first = run.startUpdate("u-1", w -> w.redirect("elm"), WaitFor.COMPLETED);
        UpdateHandle<String> second = run.startUpdate("u-1", w -> w.redirect("oak"), WaitFor.ACCEPTED);
        run.signal(Parcel::deliver);
        assertThat(run.result()).containsExactly("home", "ELM");
        UpdateHandle<String> third = run.startUpdate("u-1", w -> w.redirect("ash"), WaitFor.COMPLETED);

        assertThat(first.id()).isEqualTo("u-1");
        assertThat(List.of(first.result(), second.result(), third.result())).containsOnly("ELM");
        assertThat(run.updateHandle("u-1", String.class).result()).isEqualTo("ELM");
        assertThat(calls).hasValue(1);
    }

    @Test
    void an_answer_is_kept_for_a_day(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        run.startUpdate("u-1", WaitFor.COMPLETED, "redirect", String.class, "elm");

        engine.advance(Duration.ofHours(23));
        assertThat(run.updateHandle("u-1", String.class).result()).isEqualTo("ELM");
        engine.advance(Duration.ofHours(2));
        UpdateHandle<String> gone = run.updateHandle("u-1", String.class);
        assertThatThrownBy(() -> gone.result(HOUR)).isInstanceOf(WaitTimedOutException.class);
    }

    @Test
    void an_id_that_is_sent_again_when_its_answer_is_gone_is_not_waited_for(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        run.startUpdate("u-1", WaitFor.COMPLETED, "redirect", String.class, "elm");
        UpdateHandle<String> soon = run.startUpdate("u-1", WaitFor.COMPLETED, "redirect", String.class, "oak");
        assertThat(soon.result()).isEqualTo("ELM");
        engine.advance(Duration.ofHours(25));

        UpdateHandle<String> late = run.startUpdate("u-1", WaitFor.ACCEPTED, "redirect", String.class, "ash");

        assertThatThrownBy(() -> late.result(HOUR))
                .isInstanceOf(UpdateFailedException.class)
                .hasMessageStartingWith("update redirect (u-1) of p-1 failed: ")
                .hasMessageContaining("the run has handled an update with this id before, and its answer is not kept");
        assertThat(calls).hasValue(1);
        run.signal(Parcel::deliver);
        assertThat(run.result()).containsExactly("home", "ELM");
    }

    // ── waiting ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_started_update_goes_on_while_its_caller_does_something_else(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);

        UpdateHandle<String> update = run.startUpdate(w -> w.addLater(HOUR), WaitFor.ACCEPTED);

        assertThat(types(run)).endsWith("UpdateAccepted", "TimerStarted");
        CompletableFuture<String> later = update.resultAsync();
        assertThat(later).isNotDone();
        assertThat(update.result()).isEqualTo("at last");
        assertThat(later.join()).isEqualTo("at last");
    }

    @Test
    void a_caller_that_waits_for_too_short_a_time_learns_what_the_run_waits_for(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        UpdateHandle<String> update = run.startUpdate(w -> w.addLater(HOUR), WaitFor.ACCEPTED);

        assertThatThrownBy(() -> update.result(Duration.ofMinutes(1)))
                .isInstanceOf(WaitTimedOutException.class)
                .hasMessageStartingWith("the answer to update late (")
                .hasMessageEndingWith(
                        ") of p-1 did not come within PT1M: the update was accepted, and its handler has not returned");
        run.pause("for a while");
        deliver(engine, run, "u-2", "elm");
        UpdateHandle<String> second = run.updateHandle("u-2", String.class);
        assertThatThrownBy(() -> second.result(Duration.ofMinutes(1)))
                .isInstanceOf(WaitTimedOutException.class)
                .hasMessageContaining("the run is paused");
        run.resume();
        assertThat(second.result()).isEqualTo("ELM");
    }

    @Test
    void an_update_of_a_paused_run_is_sent_and_its_caller_learns_what_it_waits_for(TestEngine engine) throws Unknown {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        run.pause("away");
        engine.settle();

        UpdateHandle<String> update = run.startUpdate(w -> w.redirect("elm"), WaitFor.SENT);

        assertThatThrownBy(() -> update.result(Duration.ofMinutes(1)))
                .isInstanceOf(WaitTimedOutException.class)
                .hasMessageContaining("the run is paused");
        run.resume();
        assertThat(update.result()).isEqualTo("ELM");
    }

    // ── the end of the run ──────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_update_whose_run_ends_before_it_is_answered_says_how_the_run_ended(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        UpdateHandle<String> update = run.startUpdate("u-1", w -> w.addLater(HOUR), WaitFor.ACCEPTED);
        run.signal(Parcel::deliver);
        assertThat(run.result()).containsExactly("home");

        Throwable thrown = catchThrowable(update::result);

        assertThat(thrown)
                .isInstanceOf(UpdateNotCompletedException.class)
                .hasMessageStartingWith(
                        "update late (u-1) of p-1 was accepted, and its run ended (completed) before it answered.");
        assertThat(((UpdateNotCompletedException) thrown).accepted()).isTrue();
        assertThat(((UpdateNotCompletedException) thrown).status()).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(types(run)).doesNotContain("UpdateFailed");
    }

    @Workflow
    static class Lingering {
        private boolean over;

        @Run
        public String run() {
            Durable.async(() -> Durable.detached(() -> {
                Durable.sleep(HOUR);
                return "";
            }));
            Durable.await(() -> over);
            return "over";
        }

        @Update
        public String last() {
            return "in time";
        }

        @Signal
        public void end() {
            over = true;
        }
    }

    @Test
    void an_update_that_comes_too_late_hears_of_it_while_the_run_still_cleans_up(TestEngine engine) {
        engine.register(Lingering.class);
        WorkflowHandle<Lingering, String> run = engine.client().start(Lingering.class, "l-1", Lingering::run);
        engine.settle();
        run.signal(Lingering::end);
        engine.settle();

        for (WaitFor stage : List.of(WaitFor.ACCEPTED, WaitFor.COMPLETED)) {
            Throwable thrown = catchThrowable(() ->
                    run.startUpdate("u-" + stage, stage, "last", String.class).result());

            assertThat(thrown)
                    .isInstanceOf(UpdateNotCompletedException.class)
                    .hasMessage("update last (u-" + stage
                            + ") of l-1 came too late: the result of its run is fixed, and the"
                            + " run, which is cleaning up, has seen nothing of it.");
            assertThat(((UpdateNotCompletedException) thrown).accepted()).isFalse();
            assertThat(((UpdateNotCompletedException) thrown).status()).isEqualTo(WorkflowStatus.RUNNING);
        }
        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(run.result()).isEqualTo("over");
    }

    @Test
    void a_terminated_run_answers_those_that_wait(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        UpdateHandle<String> update = run.startUpdate("u-1", w -> w.addLater(HOUR), WaitFor.ACCEPTED);
        run.pause("so that the next is not fed");
        deliver(engine, run, "u-2", "elm");
        UpdateHandle<String> unfed = run.updateHandle("u-2", String.class);
        run.terminate("enough");

        assertThatThrownBy(update::result)
                .isInstanceOf(UpdateNotCompletedException.class)
                .hasMessageContaining("was accepted, and its run ended (terminated)")
                .hasRootCauseInstanceOf(dev.durable.WorkflowFailedException.class);
        assertThatThrownBy(unfed::result)
                .isInstanceOf(UpdateNotCompletedException.class)
                .hasMessage("update u-2 of p-1 came too late: its run ended (terminated) and has seen nothing of it.");
        assertThatThrownBy(() -> run.updateVoid(w -> w.note("work")))
                .isInstanceOf(WorkflowNotFoundException.class)
                .hasMessageContaining("so update note was not sent");
    }

    @Test
    void a_run_waits_for_a_handler_whose_policy_says_so(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        UpdateHandle<String> update = run.startUpdate(w -> w.kept(HOUR), WaitFor.ACCEPTED);
        run.signal(Parcel::deliver);

        assertThat(run.result()).containsExactly("home");
        assertThat(update.result()).isEqualTo("kept");
    }

    // ── several messages at once ────────────────────────────────────────────────────────────────────────────────────

    @Test
    void of_messages_that_are_fed_together_the_last_may_be_rejected(TestEngine engine) {
        WorkflowHandle<Parcel, List<String>> run = parcel(engine);
        run.pause("away");
        engine.settle();
        run.signal(Parcel::deliver);
        deliver(engine, run, "u-1", "elm");
        deliver(engine, run, "u-1", "twice");
        UpdateAccepted rejected = deliver(engine, run, "u-2", "");
        run.resume();

        assertThat(run.result()).containsExactly("home");
        assertThat(run.history().stream()
                        .filter(event -> event instanceof SignalReceived || event instanceof UpdateAccepted)
                        .map(event -> event instanceof SignalReceived signal
                                ? signal.withNext()
                                : ((UpdateAccepted) event).withNext()))
                .as("the last event of the group waits for none behind it")
                .containsExactly(true, false);
        assertThat(rejected.updateId()).isEqualTo("u-2");
    }
}
