package dev.durable.internal.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.internal.attempt.ActivitySlots.Demand;
import dev.durable.internal.attempt.ActivitySlots.Slot;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Shares the slots of a queue between claims and the runs of the process. */
class ActivitySlotsTest {
    private final ActivitySlots slots = new ActivitySlots(8);

    @Test
    void a_slot_is_given_back_once_however_often_it_is_freed() {
        Slot slot = slots.takeForClaim().getFirst();
        slot.free();
        slot.free();

        assertThat(slots.free()).isEqualTo(8 - 3);
    }

    @Test
    void a_claim_that_is_not_known_to_be_needed_leaves_half_to_the_runs_of_this_process() {
        assertThat(slots.takeForClaim()).hasSize(4);
        assertThat(slots.takeForClaim()).hasSize(2);
        assertThat(slots.takeForClaim()).hasSize(1);
        assertThat(slots.takeForClaim()).as("the last one is taken").hasSize(1);
        assertThat(slots.takeForClaim()).isEmpty();
    }

    @Test
    void runs_of_this_process_may_have_all_slots_while_nothing_is_queued() {
        assertThat(eager(10)).hasSize(8);
    }

    @Test
    void while_jobs_are_queued_runs_of_this_process_have_half_of_the_slots() {
        slots.demand(Demand.BACKLOG);

        assertThat(eager(10)).hasSize(4);
        assertThat(slots.takeForClaim()).as("the queue gets the rest").hasSize(4);
    }

    @Test
    void a_claim_that_found_no_slot_gets_the_next_one() {
        List<Slot> all = eager(8);
        slots.demand(Demand.HUNGRY);
        AtomicInteger woken = new AtomicInteger();
        slots.onRefill(woken::incrementAndGet);

        all.getFirst().free();

        assertThat(woken).hasValue(1);
        assertThat(slots.takeEagerly()).as("it is kept for the claim").isEmpty();
        assertThat(slots.takeForClaim()).hasSize(1);
    }

    @Test
    void with_a_backlog_a_claim_waits_until_a_quarter_is_free() {
        slots.demand(Demand.BACKLOG);
        List<Slot> all = slots.takeForClaim();
        AtomicInteger woken = new AtomicInteger();
        slots.onRefill(woken::incrementAndGet);

        all.get(0).free();
        assertThat(slots.worthAClaim()).isFalse();
        assertThat(woken).hasValue(0);

        all.get(1).free();
        assertThat(slots.worthAClaim()).isTrue();
        assertThat(woken).hasValue(1);
    }

    @Test
    void a_zombie_gives_its_slot_back_and_is_counted_until_it_ends() {
        Slot slot = eager(8).getFirst();

        assertThat(slot.abandon()).isTrue();
        assertThat(slot.abandon()).as("twice is once").isFalse();
        assertThat(slots.zombies()).isEqualTo(1);
        assertThat(slots.free()).isEqualTo(1);

        slot.free();
        assertThat(slots.zombies()).isZero();
        assertThat(slots.free()).isEqualTo(1);
    }

    @Test
    void zombies_keep_their_slots_once_there_are_as_many_as_slots() {
        List<Slot> first = eager(8);
        first.forEach(Slot::abandon);
        List<Slot> second = eager(8);
        second.forEach(Slot::abandon);

        assertThat(slots.zombies()).isEqualTo(16);
        assertThat(slots.free()).as("threads must not pile up without end").isZero();

        second.forEach(Slot::free);
        assertThat(slots.free()).isEqualTo(8);
        first.forEach(Slot::free);
        assertThat(slots.free()).isEqualTo(8);
        assertThat(slots.zombies()).isZero();
    }

    @Test
    void the_share_of_runs_of_this_process_is_freed_with_their_slots() {
        slots.demand(Demand.BACKLOG);
        List<Slot> taken = eager(4);
        assertThat(slots.takeEagerly()).isEmpty();

        taken.getFirst().free();

        assertThat(slots.takeEagerly()).isPresent();
    }

    private List<Slot> eager(int most) {
        List<Slot> taken = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            Optional<Slot> slot = slots.takeEagerly();
            slot.ifPresent(taken::add);
        }
        return taken;
    }
}
