package dev.durable.store.contract;

import static dev.durable.store.Transition.Outcome.APPLIED;
import static dev.durable.store.Transition.Outcome.FENCE_LOST;
import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.store.Reply;
import dev.durable.store.Transition;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Answers to updates: written with the transition that decides them, read with the state of message and run. */
abstract class ReplyContract extends StoreContract {
    private static final UUID ANSWER = Reply.idOf("u-1");

    private static InboxMessage update() {
        return new InboxMessage(UUID.randomUUID(), MessageKind.UPDATE, "redirect", "{}", null, null);
    }

    private Reply.State state(Writer writer, InboxMessage message) {
        Reply.Question question = new Reply.Question(writer.run(), message.messageId(), ANSWER);
        List<Reply.State> states = store.replies(List.of(question));
        assertThat(states).extracting(Reply.State::question).containsExactly(question);
        return states.getFirst();
    }

    private static Reply completed() {
        return new Reply(ANSWER, Reply.Kind.COMPLETED, "{\"zeta\":1, \"aa\":1E2}");
    }

    @Test
    void an_update_waits_until_it_is_consumed_and_has_its_answer_in_the_commit_that_gives_it() {
        Writer writer = claimed("order-1");
        InboxMessage message = update();
        deliver(writer.run(), message);
        assertThat(state(writer, message))
                .extracting(Reply.State::reply, Reply.State::waits, Reply.State::open)
                .containsExactly(null, true, true);

        assertThat(writer.write(writer.step()
                        .drops(message)
                        .event("UpdateAccepted", "{\"updateId\":\"u-1\"}")
                        .staysAwake()))
                .isEqualTo(APPLIED);
        assertThat(state(writer, message))
                .extracting(Reply.State::reply, Reply.State::waits, Reply.State::open)
                .containsExactly(null, false, true);

        assertThat(writer.write(writer.step()
                        .event("SignalReceived", "{}")
                        .event("UpdateCompleted", "{\"updateId\":\"u-1\"}")
                        .replies(completed())))
                .isEqualTo(APPLIED);
        Reply reply = state(writer, message).reply();
        assertThat(reply).isNotNull();
        assertThat(reply.kind()).isEqualTo(Reply.Kind.COMPLETED);
        assertThat(reply.body()).as("as it was written").isEqualTo("{\"zeta\":1, \"aa\":1E2}");
    }

    @Test
    void a_rejection_is_for_its_own_message_only() {
        Writer writer = claimed("order-1");
        InboxMessage rejected = update();
        InboxMessage other = update();
        deliver(writer.run(), rejected);

        writer.write(writer.step()
                .drops(rejected)
                .replies(new Reply(rejected.messageId(), Reply.Kind.REJECTED, "{\"type\":\"Bad\"}")));

        assertThat(state(writer, rejected).reply())
                .extracting(Reply::kind, Reply::body)
                .containsExactly(Reply.Kind.REJECTED, "{\"type\":\"Bad\"}");
        assertThat(state(writer, other).reply()).isNull();
    }

    @Test
    void the_answers_of_a_close_are_kept_though_the_run_is_gone() {
        Writer writer = claimed("order-1");
        InboxMessage message = update();
        deliver(writer.run(), message);

        assertThat(writer.write(writer.step()
                        .drops(message)
                        .replies(new Reply(message.messageId(), Reply.Kind.TOO_LATE, null))
                        .replies(completed())
                        .closes(WorkflowStatus.COMPLETED)))
                .isEqualTo(APPLIED);

        assertThat(state(writer, message))
                .extracting(found -> found.reply().kind(), Reply.State::waits, Reply.State::open)
                .containsExactly(Reply.Kind.TOO_LATE, false, false);
        assertThat(state(writer, update()).reply().kind()).isEqualTo(Reply.Kind.COMPLETED);
    }

    @Test
    void a_batch_writes_the_answers_of_its_good_transitions_only() {
        Writer one = claimed("order-1");
        Writer closing = claimed("order-2");
        Writer stale = claimed("order-3");
        stale.write(stale.step());
        Transition lost = stale.step().replies(completed()).build().withFence(UUID.randomUUID(), UUID.randomUUID());

        assertThat(store.commit(List.of(
                        one.step().replies(completed()).build(),
                        closing.step()
                                .replies(completed())
                                .closes(WorkflowStatus.COMPLETED)
                                .build(),
                        lost)))
                .containsExactly(APPLIED, APPLIED, FENCE_LOST);

        InboxMessage none = update();
        assertThat(state(one, none).reply()).isNotNull();
        assertThat(state(closing, none).reply()).isNotNull();
        assertThat(state(stale, none).reply()).isNull();
    }

    @Test
    void old_answers_are_deleted_some_at_a_time() {
        Writer writer = claimed("order-1");
        writer.write(writer.step()
                .replies(completed())
                .replies(new Reply(UUID.randomUUID(), Reply.Kind.FAILED, "{\"type\":\"Bad\"}")));

        assertThat(store.purgeReplies(Duration.ofDays(1), 10)).isZero();
        advance(Duration.ofHours(25));
        assertThat(store.purgeReplies(Duration.ofDays(1), 1)).isEqualTo(1);
        assertThat(store.purgeReplies(Duration.ofDays(1), 10)).isEqualTo(1);
        assertThat(state(writer, update()).reply()).isNull();
    }
}
