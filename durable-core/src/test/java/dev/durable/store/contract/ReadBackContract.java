package dev.durable.store.contract;

import static dev.durable.store.ReadBack.Outcome.HAPPENED;
import static dev.durable.store.ReadBack.Outcome.NOT_HAPPENED;
import static dev.durable.store.ReadBack.Outcome.OVERTAKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.ReadBack;
import dev.durable.store.Transition;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Whether something happened whose answer never came. */
abstract class ReadBackContract extends StoreContract {

    @Test
    void a_step_that_happened_is_known_by_its_fence() {
        Writer writer = claimed("order-1");
        Transition step = writer.step().schedules(1).build();
        store.commit(List.of(step));

        assertThat(readBack(step)).isEqualTo(HAPPENED);
    }

    @Test
    void a_step_that_happened_is_known_after_a_rival_claimed_the_run() {
        Writer writer = claimed("order-1");
        Transition step = writer.step().schedules(1).staysAwake().build();
        store.commit(List.of(step));
        advance(OWNED.plusSeconds(1));
        assertThat(claimRuns(openSession())).hasSize(1);

        assertThat(readBack(step)).isEqualTo(HAPPENED);
    }

    @Test
    void a_step_that_happened_is_known_after_a_rival_wrote() {
        Writer writer = claimed("order-1");
        Transition step = writer.step().schedules(1).staysAwake().build();
        store.commit(List.of(step));
        advance(OWNED.plusSeconds(1));
        Writer rival = writer(claimRuns(openSession()).getFirst());
        rival.write(rival.step().schedules(2));

        assertThat(readBack(step)).isEqualTo(HAPPENED);
    }

    @Test
    void a_step_that_happened_is_known_after_the_run_closed() {
        Writer writer = claimed("order-1");
        Transition step = writer.step().schedules(1).build();
        writer.wrote(step, store.commit(List.of(step)).getFirst());
        writer.write(writer.closing());

        assertThat(readBack(step)).isEqualTo(HAPPENED);
    }

    @Test
    void a_close_that_happened_is_known() {
        Writer writer = claimed("order-1");
        Transition close = writer.closing().build();
        store.commit(List.of(close));

        assertThat(readBack(close)).isEqualTo(HAPPENED);
    }

    @Test
    void a_step_without_events_that_happened_is_known() {
        Writer writer = claimed("order-1");
        Transition step = writer.step().wakesAt(store.now().plusSeconds(60)).build();
        store.commit(List.of(step));

        assertThat(readBack(step)).isEqualTo(HAPPENED);
    }

    @Test
    void a_stall_that_happened_is_known() {
        Writer writer = claimed("order-1");
        Transition stall =
                writer.step().stalls("differs", Duration.ofMinutes(1)).build();
        store.commit(List.of(stall));

        assertThat(readBack(stall)).isEqualTo(HAPPENED);
    }

    @Test
    void a_step_that_did_not_happen_may_be_sent_again() {
        Writer writer = claimed("order-1");
        Transition step = writer.step().schedules(1).build();

        assertThat(readBack(step)).isEqualTo(NOT_HAPPENED);
        assertThat(store.commit(List.of(step))).containsExactly(Transition.Outcome.APPLIED);
    }

    @Test
    void a_step_that_did_not_happen_before_a_rival_claimed_is_refused_when_sent_again() {
        Writer writer = claimed("order-1");
        Transition step = writer.step().schedules(1).build();
        advance(OWNED.plusSeconds(1));
        assertThat(claimRuns(openSession())).hasSize(1);

        assertThat(readBack(step)).isEqualTo(NOT_HAPPENED);
        assertThat(store.commit(List.of(step))).containsExactly(Transition.Outcome.FENCE_LOST);
    }

    @Test
    void a_step_that_did_not_happen_before_a_rival_wrote_is_overtaken() {
        Writer writer = claimed("order-1");
        Transition step = writer.step().schedules(1).build();
        advance(OWNED.plusSeconds(1));
        Writer rival = writer(claimRuns(openSession()).getFirst());
        rival.write(rival.step().schedules(1));

        assertThat(readBack(step)).isEqualTo(OVERTAKEN);
    }

    @Test
    void a_step_that_did_not_happen_before_the_run_was_seized_is_overtaken() {
        Writer writer = claimed("order-1");
        Transition step = writer.step().schedules(1).build();
        terminated(writer.run());

        assertThat(readBack(step)).isEqualTo(OVERTAKEN);
    }

    @Test
    void a_step_of_a_closed_run_is_overtaken() {
        Writer writer = claimed("order-1");
        writer.write(writer.closing());

        assertThat(readBack(writer.step().schedules(1).build())).isEqualTo(OVERTAKEN);
    }

    @Test
    void a_refused_step_did_not_happen() {
        Writer writer = claimed("order-1");
        signalled(writer.run(), "approve");
        Transition close = writer.closing().byForce().build();
        store.commit(List.of(close));

        assertThat(readBack(close)).isEqualTo(NOT_HAPPENED);
    }

    @Test
    void a_start_is_known_from_its_first_event() {
        NewRunBuilder run = newRun("order-1");
        ReadBack attempt = new ReadBack(run.key(), run.fence(), 1);

        assertThat(readBack(attempt)).isEqualTo(NOT_HAPPENED);
        started(run);
        assertThat(readBack(attempt)).isEqualTo(HAPPENED);
        Writer writer = claimed(run.key());
        writer.write(writer.closing());
        assertThat(readBack(attempt)).isEqualTo(HAPPENED);
    }

    @Test
    void a_run_that_is_not_there_was_not_written() {
        assertThat(readBack(new ReadBack(newRun("order-1").key(), UUID.randomUUID(), 7)))
                .isEqualTo(OVERTAKEN);
    }

    @Test
    void several_are_answered_in_the_order_in_which_they_were_asked() {
        Writer one = claimed("order-1");
        Transition happened = one.step().schedules(1).build();
        store.commit(List.of(happened));
        Transition not = claimed("order-2").step().schedules(1).build();

        assertThat(store.readBack(List.of(attempt(not), attempt(happened), attempt(not))))
                .containsExactly(NOT_HAPPENED, HAPPENED, NOT_HAPPENED);
    }

    private ReadBack.Outcome readBack(Transition step) {
        return readBack(attempt(step));
    }

    private ReadBack.Outcome readBack(ReadBack attempt) {
        return store.readBack(List.of(attempt)).getFirst();
    }

    private static ReadBack attempt(Transition step) {
        return new ReadBack(step.run(), step.fences().next(), step.nextEventId());
    }
}
