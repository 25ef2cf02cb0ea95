package dev.durable.store.contract;

import static dev.durable.store.Transition.Outcome.APPLIED;
import static dev.durable.store.Transition.Outcome.FENCE_LOST;
import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.WorkflowStatus;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The line by which a run says what it is doing: written with the steps that change it. */
abstract class DetailsContract extends StoreContract {
    private String line(RunKey run) {
        return store.run(run.runId()).orElseThrow().details();
    }

    @Test
    void a_start_brings_the_line_of_its_first_turn() {
        NewRunBuilder telling = newRun("order-1").firstTurnDone().details("asks the bank");
        NewRunBuilder silent = newRun("order-2").firstTurnDone();

        store.start(List.of(telling.build(), silent.build()));

        assertThat(line(telling.key())).isEqualTo("asks the bank");
        assertThat(line(silent.key())).isNull();
    }

    @Test
    void a_start_that_finds_an_open_run_leaves_the_line_of_that_run() {
        RunKey open = started(newRun("order-1").firstTurnDone().details("asks the bank"));

        start(newRun("order-1").firstTurnDone().details("another"));

        assertThat(line(open)).isEqualTo("asks the bank");
    }

    @Test
    void a_step_sets_the_line_keeps_it_and_takes_it_away() {
        Writer writer = claimed("order-1");

        assertThat(writer.write(writer.step().event("SideEffectRecorded", "{}").details("asks the bank")))
                .isEqualTo(APPLIED);
        assertThat(line(writer.run())).isEqualTo("asks the bank");
        assertThat(writer.write(writer.step().event("SideEffectRecorded", "{}")))
                .isEqualTo(APPLIED);
        assertThat(line(writer.run())).isEqualTo("asks the bank");
        assertThat(writer.write(writer.step().event("SideEffectRecorded", "{}").details("")))
                .isEqualTo(APPLIED);
        assertThat(line(writer.run())).isNull();
    }

    @Test
    void steps_of_a_batch_set_lines_of_their_own_runs_only() {
        Writer first = claimed("order-1");
        Writer second = claimed("order-2");
        Writer third = claimed("order-3");
        Transition a =
                first.step().event("SideEffectRecorded", "{}").details("a").build();
        Transition b = second.step().event("SideEffectRecorded", "{}").build();
        Transition c =
                third.step().closes(WorkflowStatus.COMPLETED).details("c").build();

        assertThat(store.commit(List.of(a, b, c))).containsOnly(APPLIED);

        assertThat(line(first.run())).isEqualTo("a");
        assertThat(line(second.run())).isNull();
        assertThat(line(third.run())).isEqualTo("c");
    }

    @Test
    void a_step_whose_fence_is_lost_leaves_the_line_as_it_is() {
        Writer writer = claimed("order-1");
        Writer zombie = writer.zombie();
        writer.write(writer.step().event("SideEffectRecorded", "{}").details("asks the bank"));

        assertThat(zombie.write(zombie.step().event("SideEffectRecorded", "{}").details("late")))
                .isEqualTo(FENCE_LOST);

        assertThat(line(writer.run())).isEqualTo("asks the bank");
    }

    @Test
    void the_line_stays_at_the_end_and_the_next_run_of_the_chain_has_none() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().event("SideEffectRecorded", "{}").details("asks the bank"));
        NewRun next = newRun("order-1").build();

        assertThat(writer.write(writer.step().continuesAs(next))).isEqualTo(APPLIED);

        assertThat(line(writer.run())).isEqualTo("asks the bank");
        assertThat(line(next.run())).isNull();
    }

    @Test
    void a_run_that_ends_alone_with_a_line_keeps_it() {
        Writer writer = claimed("order-1");

        assertThat(writer.write(writer.closing().details("paid"))).isEqualTo(APPLIED);

        assertThat(line(writer.run())).isEqualTo("paid");
    }
}
