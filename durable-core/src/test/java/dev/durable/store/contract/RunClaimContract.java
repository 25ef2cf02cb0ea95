package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.internal.text.Portion;
import dev.durable.store.ClaimedRun;
import dev.durable.store.ClaimedRuns;
import dev.durable.store.RunClaim;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Claims of runs: each due run to one claimer who can serve it. */
abstract class RunClaimContract extends StoreContract {

    @Test
    void a_claim_replaces_the_fence_and_tells_the_one_before() {
        NewRunBuilder run = newRun("order-1");
        started(run);

        ClaimedRun claim = claimRuns(session).getFirst();

        assertThat(claim.run()).isEqualTo(run.key());
        assertThat(claim.type()).isEqualTo(TYPE);
        assertThat(claim.taskQueue()).isEqualTo(QUEUE);
        assertThat(claim.previousFence()).isEqualTo(run.fence());
        assertThat(claim.fence()).isNotEqualTo(run.fence());
        assertThat(claim.nextEventId()).isEqualTo(2);
        assertThat(claim.wakeAt()).isBetween(run.startedAt(), store.now());
        assertThat(claim.closing()).isFalse();
        assertThat(claim.stalls()).isZero();
    }

    @Test
    void the_fence_before_is_the_one_that_a_cached_instance_wrote() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1));
        signalled(writer.run(), "approve");

        ClaimedRun again = claimRuns(session).getFirst();

        assertThat(again.previousFence()).isEqualTo(writer.fence());
        assertThat(again.nextEventId()).isEqualTo(writer.nextEventId());
    }

    @Test
    void a_claim_brings_the_messages_that_wait_for_its_runs_in_order() {
        Writer resting = parked("order-1");
        signalled(resting.run(), "a");
        signalled(resting.run(), "b");
        started("order-2");

        ClaimedRuns got = store.claimRuns(new RunClaim(session, Set.of(QUEUE), Set.of(TYPE), 10, OWNED));

        assertThat(got.runs()).hasSize(2);
        assertThat(got.messages()).isEqualTo(store.messages(List.of(resting.run()), 10));
        assertThat(got.messages().get(resting.run().runId()))
                .extracting(InboxMessage::name)
                .containsExactly("a", "b");
    }

    @Test
    void a_claim_brings_a_portion_of_large_messages_and_the_next_look_the_rest() {
        Writer resting = parked("order-1");
        int size = 2 << 20;
        String large = '"'
                + new Random(1)
                        .ints('0', 'z')
                        .filter(Character::isLetterOrDigit)
                        .limit(size)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString()
                + '"';
        for (int i = 0; i < 10; i++) {
            deliver(resting.run(), signal("s" + i, large));
        }

        ClaimedRuns got = store.claimRuns(new RunClaim(session, Set.of(QUEUE), Set.of(TYPE), 10, OWNED));

        List<InboxMessage> first = got.messages().get(resting.run().runId());
        assertThat(first).hasSizeBetween(1, Portion.BYTES / size + 1);
        Writer writer = writer(got.runs().getFirst());
        List<String> names = new ArrayList<>();
        for (List<InboxMessage> next = first; !next.isEmpty(); ) {
            assertThat(next).hasSizeBetween(1, Portion.BYTES / size + 1);
            next.forEach(message -> names.add(message.name()));
            StepBuilder step = writer.step();
            next.forEach(step::consumes);
            writer.write(step);
            next = store.messages(List.of(resting.run()), 1_000)
                    .getOrDefault(resting.run().runId(), List.of());
        }
        assertThat(names).containsExactly("s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9");
        List<StoredEvent> page = store.history(resting.run().runId(), 1, 100);
        assertThat(Portion.isWhole(page, 100, StoredEvent::atMost)).isFalse();
        assertThat(page.stream().mapToLong(e -> e.attributes().length()).sum())
                .isLessThan(Portion.BYTES + size + 1_000L);
    }

    @Test
    void a_claim_brings_short_histories_to_a_session_that_did_not_have_the_run_last() {
        Writer known = claimed("order-2");
        known.write(known.step());
        signalled(known.run(), "approve");
        RunKey unknown = started("order-1");

        ClaimedRuns mine = store.claimRuns(new RunClaim(session, Set.of(QUEUE), Set.of(TYPE), 10, OWNED));
        advance(OWNED.plusSeconds(1));
        ClaimedRuns others = store.claimRuns(new RunClaim(openSession(), Set.of(QUEUE), Set.of(TYPE), 10, OWNED));

        assertThat(mine.runs()).hasSize(2);
        assertThat(mine.histories()).isEqualTo(Map.of(unknown.runId(), store.history(unknown.runId(), 1, 10)));
        assertThat(others.histories())
                .isEqualTo(Map.of(
                        unknown.runId(), store.history(unknown.runId(), 1, 10),
                        known.run().runId(), store.history(known.run().runId(), 1, 10)));
    }

    @Test
    void a_long_history_is_left_to_be_read() {
        Writer writer = claimed("order-1");
        for (int i = 1; i < ClaimedRuns.SHORT_HISTORY; i++) {
            writer.write(writer.step().schedules(i));
        }
        UUID other = openSession();
        assertThat(writer.nextEventId()).isEqualTo(ClaimedRuns.SHORT_HISTORY + 1);
        signalled(writer.run(), "approve");
        advance(OWNED.plusSeconds(1));
        RunClaim claim = new RunClaim(other, Set.of(QUEUE), Set.of(TYPE), 10, OWNED);

        ClaimedRuns justShort = store.claimRuns(claim);
        Writer next = writer(justShort.runs().getFirst());
        next.write(next.step().schedules(ClaimedRuns.SHORT_HISTORY));
        signalled(next.run(), "approve");
        advance(OWNED.plusSeconds(1));
        ClaimedRuns tooLong = store.claimRuns(new RunClaim(session, Set.of(QUEUE), Set.of(TYPE), 10, OWNED));

        assertThat(justShort.histories().get(writer.run().runId())).hasSize(ClaimedRuns.SHORT_HISTORY);
        assertThat(tooLong.runs()).hasSize(1);
        assertThat(tooLong.histories()).isEmpty();
    }

    @Test
    void a_claim_brings_no_more_events_than_its_bound_and_leaves_the_other_histories_to_be_read() {
        int each = ClaimedRuns.SHORT_HISTORY;
        int runs = ClaimedRuns.MAX_EVENTS / each + 5;
        for (int i = 0; i < runs; i++) {
            Writer writer = claimed("order-" + i);
            StepBuilder step = writer.step();
            for (int event = 1; event < each; event++) {
                step.event("SideEffectRecorded", "{}");
            }
            assertThat(writer.write(step)).isEqualTo(Transition.Outcome.APPLIED);
            signalled(writer.run(), "approve");
        }
        advance(OWNED.plusSeconds(1));

        ClaimedRuns got = store.claimRuns(new RunClaim(openSession(), Set.of(QUEUE), Set.of(TYPE), 100, OWNED));

        assertThat(got.runs()).hasSize(runs);
        assertThat(got.messages()).hasSize(runs);
        assertThat(got.histories()).hasSizeBetween(runs / 2, runs - 1);
        assertThat(got.histories().values())
                .allSatisfy(history -> assertThat(history).hasSize(each));
        assertThat(got.histories().values().stream().mapToInt(List::size).sum())
                .isLessThanOrEqualTo(ClaimedRuns.MAX_EVENTS);
    }

    @Test
    void a_claimed_run_is_left_until_its_owners_time_is_over() {
        Writer first = claimed("order-1");
        UUID other = openSession();

        assertThat(claimRuns(other)).isEmpty();
        advance(OWNED.minusSeconds(5));
        assertThat(claimRuns(other)).isEmpty();
        advance(Duration.ofSeconds(6));
        assertThat(claimedIds(other)).containsExactly("order-1");
        assertThat(first.write(first.step().schedules(1))).isEqualTo(Transition.Outcome.FENCE_LOST);
    }

    @Test
    void what_a_session_owned_that_was_declared_dead_is_anybodys_at_once() {
        Writer due = claimed("order-1");
        Writer woken = parked("order-2");
        signalled(woken.run(), "approve");
        claimRuns(session);
        UUID other = openSession();
        assertThat(claimRuns(other)).isEmpty();

        store.markDead(session, 0);

        assertThat(claimedIds(other)).containsExactlyInAnyOrder("order-1", "order-2");
        assertThat(claimRuns(openSession())).as("who lives owns it").isEmpty();
        assertThat(due.write(due.step().schedules(1))).isEqualTo(Transition.Outcome.FENCE_LOST);
    }

    @Test
    void what_a_session_owned_that_said_goodbye_is_anybodys_at_once() {
        claimed("order-1");

        store.closeSession(session);

        assertThat(claimedIds(openSession())).containsExactly("order-1");
    }

    @Test
    void who_is_not_alive_claims_nothing() {
        started("order-1");
        store.markDead(session, 0);

        assertThat(claimRuns(session)).as("dead").isEmpty();
        assertThat(claimRuns(UUID.randomUUID())).as("unknown").isEmpty();
        assertThat(claimedIds(openSession())).containsExactly("order-1");
    }

    @Test
    void a_message_for_a_claimed_run_lets_nobody_else_claim_it() {
        Writer writer = claimed("order-1");
        signalled(writer.run(), "approve");

        assertThat(claimRuns(openSession())).isEmpty();
    }

    @Test
    void earliest_due_goes_first() {
        Instant now = store.now();
        started(newRun("order-3").wakeAt(now.plusSeconds(3)));
        started(newRun("order-1").wakeAt(now.plusSeconds(1)));
        started(newRun("order-2").wakeAt(now.plusSeconds(2)));
        started(newRun("order-4").wakeAt(now.plusSeconds(60)));
        advance(Duration.ofSeconds(10));

        assertThat(claimRuns(session, 1))
                .extracting(claim -> claim.run().workflowId())
                .containsExactly("order-1");
        assertThat(claimRuns(session, 1))
                .extracting(claim -> claim.run().workflowId())
                .containsExactly("order-2");
        assertThat(claimedIds(session)).containsExactly("order-3");
    }

    @Test
    void runs_woken_by_messages_are_claimed_as_well_as_due_ones() {
        Writer resting = parked("order-1");
        signalled(resting.run(), "approve");
        started("order-2");

        assertThat(claimedIds(session)).containsExactlyInAnyOrder("order-1", "order-2");
    }

    @Test
    void a_run_that_is_due_and_has_messages_is_claimed_once() {
        RunKey run = started("order-1");
        signalled(run, "a");
        signalled(run, "b");

        assertThat(claimedIds(session)).containsExactly("order-1");
    }

    @Test
    void no_more_than_the_limit_is_claimed() {
        for (int i = 0; i < 5; i++) {
            RunKey run = started("order-" + i);
            if (i % 2 == 0) {
                signalled(run, "approve");
            }
        }

        assertThat(claimRuns(session, 3)).hasSize(3);
        assertThat(claimRuns(session, 3)).hasSize(2);
    }

    @Test
    void unknown_types_are_left_for_others() {
        started(newRun("order-1").type("Other"));

        assertThat(claimRuns(session)).isEmpty();
        assertThat(claim(Set.of(QUEUE), Set.of("Other", TYPE))).hasSize(1);
    }

    @Test
    void other_queues_are_left_for_others() {
        started(newRun("order-1").taskQueue("slow"));
        started("order-2");

        assertThat(claimedIds(session)).containsExactly("order-2");
        assertThat(claim(Set.of("slow", "fast"), Set.of(TYPE))).hasSize(1);
    }

    @Test
    void several_queues_are_served_by_one_claim() {
        started(newRun("order-1").taskQueue("slow"));
        started(newRun("order-2").taskQueue("fast"));

        assertThat(claim(Set.of("slow", "fast"), Set.of(TYPE))).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"slow,busy", "busy,slow"})
    void a_busy_queue_does_not_hide_what_waits_longer_in_another(String quiet, String crowded) {
        started(newRun("order-1").taskQueue(quiet));
        advance(Duration.ofSeconds(1));
        for (int i = 0; i < 20; i++) {
            started(newRun("other-" + i).taskQueue(crowded));
        }

        RunClaim claim = new RunClaim(session, Set.of("busy", "slow"), Set.of(TYPE), 5, OWNED);
        assertThat(store.claimRuns(claim).runs())
                .extracting(c -> c.run().workflowId())
                .contains("order-1");
    }

    @Test
    void runs_that_cannot_be_served_do_not_hide_those_behind_them() {
        for (int i = 0; i < 20; i++) {
            signalled(started(newRun("other-" + i).type("Other")), "approve");
        }
        started("order-1");

        assertThat(claimRuns(session, 5)).hasSize(1);
    }

    @Test
    void a_claim_that_may_have_more_gets_all_that_wait_also_those_that_claims_before_have_passed() {
        for (int i = 0; i < 100; i++) {
            signalled(parked("order-" + i).run(), "approve");
        }

        assertThat(claimRuns(session, 5)).hasSize(5);
        RunClaim claim = new RunClaim(session, Set.of(QUEUE), Set.of(TYPE), 200, OWNED);
        int claimed = 0;
        ClaimedRuns got;
        do {
            got = store.claimRuns(claim);
            claimed += got.runs().size();
        } while (Duration.ZERO.equals(got.retryIn()));
        assertThat(claimed).isEqualTo(95);
        assertThat(claimRuns(session)).isEmpty();
    }

    @Test
    void a_claim_that_got_as_many_as_it_asked_for_may_have_more() {
        started("order-1");
        started("order-2");
        RunClaim claim = new RunClaim(session, Set.of(QUEUE), Set.of(TYPE), 1, OWNED);

        assertThat(store.claimRuns(claim).retryIn()).isZero();
        assertThat(store.claimRuns(claim).retryIn()).isZero();
        assertThat(store.claimRuns(claim)).isEqualTo(ClaimedRuns.none(null, null));
    }

    @Test
    void a_run_behind_very_many_that_are_not_for_the_claimer_is_found_by_the_next_claim() {
        for (int i = 0; i < 600; i++) {
            signalled(started(newRun("other-" + i).type("Other")), "approve");
        }
        signalled(parked("order-1").run(), "approve");
        advance(Duration.ofMillis(101));

        RunClaim claim = new RunClaim(session, Set.of(QUEUE), Set.of(TYPE), 1, OWNED);
        assertThat(Stream.of(store.claimRuns(claim), store.claimRuns(claim)).flatMap(got -> got.runs().stream()))
                .extracting(got -> got.run().workflowId())
                .containsExactly("order-1");
    }

    @Test
    void very_many_runs_that_are_not_for_the_claimer_do_not_make_it_hurry() {
        for (int i = 0; i < 100; i++) {
            signalled(started(newRun("other-" + i).type("Other")), "approve");
        }
        advance(Duration.ofMillis(101));

        for (int i = 0; i < 3; i++) {
            ClaimedRuns got = store.claimRuns(new RunClaim(session, Set.of(QUEUE), Set.of(TYPE), 1, OWNED));
            assertThat(got.runs()).isEmpty();
            assertThat(got.retryIn()).isNull();
        }
    }

    @Test
    void a_due_run_is_left_for_a_moment_to_the_session_that_has_it_cached() {
        UUID other = openSession();
        Duration moment = Duration.ofMillis(100);
        for (int attempt = 0; attempt < 20; attempt++) {
            Writer writer = claimed("order-" + attempt);
            writer.write(writer.step());
            Instant before = store.now();
            signalled(writer.run(), "approve");
            ClaimedRuns early = store.claimRuns(new RunClaim(other, Set.of(QUEUE), Set.of(TYPE), 100, OWNED));
            boolean inTime = Duration.between(before, store.now()).compareTo(moment) < 0;
            if (inTime) {
                assertThat(early.runs()).as("within the moment").isEmpty();
                assertThat(early.retryIn()).as("until its end").isBetween(Duration.ofMillis(1), moment);
                assertThat(claimRuns(session)).hasSize(1);
                return;
            }
        }
        throw new AssertionError("never fast enough to see the moment");
    }

    @Test
    void after_that_moment_anybody_may_claim_it() {
        Writer writer = claimed("order-1");
        writer.write(writer.step());
        signalled(writer.run(), "approve");

        advance(Duration.ofMillis(101));

        ClaimedRuns late = store.claimRuns(new RunClaim(openSession(), Set.of(QUEUE), Set.of(TYPE), 100, OWNED));
        assertThat(late.runs()).extracting(claim -> claim.run().workflowId()).containsExactly("order-1");
        assertThat(late.retryIn()).as("nothing is left").isNull();
    }

    @Test
    void to_a_dead_session_nothing_is_left() {
        Writer writer = claimed("order-1");
        writer.write(writer.step());
        store.markDead(session, 0);

        signalled(writer.run(), "approve");

        assertThat(claimedIds(openSession())).containsExactly("order-1");
    }

    @Test
    void a_run_that_nobody_had_yet_may_be_claimed_by_anybody_at_once() {
        started("order-1");

        assertThat(claimedIds(openSession())).containsExactly("order-1");
    }

    @Test
    void the_next_due_time_is_that_of_the_earliest_parked_run_of_these_queues() {
        Instant now = store.now();
        started(newRun("order-1").wakeAt(now.plusSeconds(20)));
        started(newRun("order-2").wakeAt(now.plusSeconds(10)));
        started(newRun("order-3").wakeAt(now.plusSeconds(5)).taskQueue("slow"));
        parked("order-4");

        assertThat(nextDue(QUEUE)).contains(now.plusSeconds(10));
        assertThat(nextDue(QUEUE, "slow")).contains(now.plusSeconds(5));
        assertThat(nextDue("nobody")).isEmpty();
        advance(Duration.ofSeconds(11));
        assertThat(nextDue(QUEUE)).as("what is due already").contains(now.plusSeconds(20));
    }

    @Test
    void the_next_due_time_does_not_count_what_somebody_owns() {
        NewRunBuilder run = newRun("order-1").wakeAt(store.now().plusSeconds(10));
        started(run);
        signalled(run.key(), "approve");
        assertThat(nextDue(QUEUE)).isPresent();
        Writer writer = writer(claimRuns(session).getFirst());

        assertThat(nextDue(QUEUE)).isEmpty();
        writer.write(writer.step());
        assertThat(nextDue(QUEUE)).isPresent();
    }

    @Test
    void a_run_that_stalled_does_not_hide_a_later_one_that_is_due_next() {
        Instant now = store.now();
        NewRunBuilder stalled = newRun("order-1").wakeAt(now.plusSeconds(10));
        started(stalled);
        signalled(stalled.key(), "approve");
        Writer writer = writer(claimRuns(session).getFirst());
        writer.write(writer.step().stalls("later", Duration.ofMinutes(5)));
        started(newRun("order-2").wakeAt(now.plusSeconds(20)));

        assertThat(nextDue(QUEUE)).contains(now.plusSeconds(20));
    }

    @Test
    void a_claim_of_any_type_takes_all_but_those_of_durable_that_it_does_not_list() {
        started(newRun("order-1"));
        started(newRun("order-2").type("Unheard-of"));
        started(newRun("order-3").type("durable.newer"));
        started(newRun("order-4").type("durable.job"));
        started(newRun("order-5").type("durables"));

        RunClaim any = new RunClaim(
                session,
                Set.of(QUEUE),
                Set.of(TYPE, "durable.job"),
                true,
                100,
                OWNED,
                UUID.randomUUID(),
                Set.of(),
                Map.of());
        assertThat(store.claimRuns(any).runs())
                .extracting(claimed -> claimed.run().workflowId())
                .containsExactlyInAnyOrder("order-1", "order-2", "order-4", "order-5");
    }

    private List<ClaimedRun> claim(Set<String> queues, Set<String> types) {
        return store.claimRuns(new RunClaim(session, queues, types, 100, OWNED)).runs();
    }
}
