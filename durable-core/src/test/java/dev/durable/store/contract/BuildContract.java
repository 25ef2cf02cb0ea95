package dev.durable.store.contract;

import static dev.durable.store.Transition.Outcome.APPLIED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.durable.client.BoundedCount;
import dev.durable.store.AuditFilter;
import dev.durable.store.BuildRamps;
import dev.durable.store.BuildRuns;
import dev.durable.store.ClaimedRun;
import dev.durable.store.JobStart;
import dev.durable.store.NewRun;
import dev.durable.store.QueueChange;
import dev.durable.store.RunClaim;
import dev.durable.store.RunFilter;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.RunMove;
import dev.durable.store.Served;
import dev.durable.store.SessionInfo;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The builds of processes and runs: which build made a run's last turn, and which builds a stall holds back. */
abstract class BuildContract extends StoreContract {
    private static final Duration BACK_OFF = Duration.ofSeconds(30);

    /** Opens a session of a process of this build; null names none. */
    private UUID sessionOf(String build) {
        UUID fresh = UUID.randomUUID();
        store.openSession(fresh, "worker", LEASE, new Served(Set.of(QUEUE), Set.of(), null, build));
        return fresh;
    }

    private Writer claimedBy(UUID claimer) {
        return writer(claimRuns(claimer).getFirst());
    }

    private String buildOf(RunKey run) {
        String described = store.details(run.runId()).orElseThrow().run().build();
        assertThat(store.run(run.runId()).orElseThrow().build()).isEqualTo(described);
        assertThat(store.runs(RunFilter.ALL, 10).stream()
                        .filter(row -> row.run().equals(run))
                        .findFirst()
                        .orElseThrow()
                        .build())
                .isEqualTo(described);
        return described;
    }

    // ── which build made the last turn ───────────────────────────────────────────────────────────────────────────────

    @Test
    void a_session_tells_its_build() {
        UUID blue = sessionOf("blue");
        UUID unnamed = sessionOf(null);

        assertThat(store.sessions())
                .filteredOn(row -> row.session().equals(blue) || row.session().equals(unnamed))
                .extracting(SessionInfo::session, row -> row.served().build())
                .containsExactlyInAnyOrder(tuple(blue, "blue"), tuple(unnamed, null));
    }

    @Test
    void a_run_has_no_build_until_a_build_has_made_a_turn() {
        RunKey run = started("order-1");

        assertThat(buildOf(run)).isNull();
        assertThat(claimRuns(session))
                .singleElement()
                .extracting(ClaimedRun::build)
                .isNull();
    }

    @Test
    void a_first_turn_that_is_written_with_the_start_tells_its_build() {
        NewRunBuilder run = newRun("order-1").firstTurnBy("blue");
        started(run);
        started(newRun("order-2").firstTurnDone());
        signalled(run.key(), "approve");

        assertThat(buildOf(run.key())).isEqualTo("blue");
        assertThat(claimRuns(session))
                .singleElement()
                .extracting(ClaimedRun::build)
                .isEqualTo("blue");
    }

    @Test
    void starts_of_builds_that_meet_open_runs_keep_their_builds() {
        started("order-1");
        NewRunBuilder blue = newRun("order-2").firstTurnBy("blue");

        store.start(List.of(newRun("order-1").firstTurnBy("blue").build(), blue.build()));

        assertThat(buildOf(blue.key())).isEqualTo("blue");
    }

    @Test
    void a_step_tells_the_build_that_made_it_alone_or_in_a_batch() {
        Writer one = claimed("order-1");
        Writer two = claimed("order-2");
        Writer three = claimed("order-3");

        assertThat(one.write(one.step().schedules(1).by("blue"))).isEqualTo(APPLIED);
        Transition second = two.step().schedules(1).by("green").build();
        Transition third = three.step().schedules(1).build();
        assertThat(store.commit(List.of(second, third))).containsExactly(APPLIED, APPLIED);

        assertThat(buildOf(one.run())).isEqualTo("blue");
        assertThat(buildOf(two.run())).isEqualTo("green");
        assertThat(buildOf(three.run())).isNull();
    }

    @Test
    void a_step_that_names_no_build_leaves_that_of_the_run_and_one_of_an_unnamed_process_takes_it_away() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1).by("blue"));

        writer.write(writer.step().schedules(2));
        assertThat(buildOf(writer.run())).isEqualTo("blue");

        writer.write(writer.step().schedules(3).by(null));
        assertThat(buildOf(writer.run())).isNull();
    }

    @Test
    void a_step_that_is_not_written_leaves_the_build() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1).by("blue"));
        Writer stale = new Writer(store, writer.run(), UUID.randomUUID(), writer.nextEventId());

        assertThat(stale.write(stale.step().schedules(2).by("green"))).isEqualTo(Transition.Outcome.FENCE_LOST);

        assertThat(buildOf(writer.run())).isEqualTo("blue");
    }

    @Test
    void a_run_that_continues_another_has_no_build_until_its_first_turn() {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1).by("blue"));
        NewRun next = newRun("order-1").build();

        assertThat(writer.write(writer.step().continuesAs(next).by("green"))).isEqualTo(APPLIED);

        assertThat(buildOf(next.run())).isNull();
        assertThat(buildOf(writer.run())).as("closed").isNull();
    }

    // ── stalls ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_stall_holds_back_its_build_and_no_other() {
        UUID blue = sessionOf("blue");
        started("order-1");
        Writer stalled = claimedBy(blue);

        stalled.write(stalled.step().stalls("differs", BACK_OFF).by("blue"));
        advance(Duration.ofSeconds(1));

        assertThat(claimedIds(blue)).as("its build").isEmpty();
        assertThat(claimedIds(sessionOf("blue")))
                .as("another process of its build")
                .isEmpty();
        assertThat(claimedIds(sessionOf(null))).as("a process without a build").isEmpty();
        assertThat(claimedIds(sessionOf("green"))).containsExactly("order-1");
    }

    @Test
    void a_stalled_run_is_tried_again_by_its_build_after_the_back_off() {
        UUID blue = sessionOf("blue");
        started("order-1");
        Writer stalled = claimedBy(blue);
        stalled.write(stalled.step().stalls("differs", BACK_OFF).by("blue"));

        advance(BACK_OFF.plusSeconds(1));

        assertThat(claimedIds(blue)).containsExactly("order-1");
    }

    @Test
    void builds_that_all_stall_do_not_take_turns_without_a_pause() {
        UUID blue = sessionOf("blue");
        UUID green = sessionOf("green");
        started("order-1");
        Writer ofBlue = claimedBy(blue);
        ofBlue.write(ofBlue.step().stalls("differs", BACK_OFF).by("blue"));
        advance(Duration.ofSeconds(1));

        Writer ofGreen = claimedBy(green);
        ofGreen.write(ofGreen.step().stalls("differs, too", BACK_OFF).by("green"));
        advance(Duration.ofSeconds(1));

        assertThat(claimedIds(blue)).isEmpty();
        assertThat(claimedIds(green)).isEmpty();
        assertThat(claimedIds(sessionOf("red")))
                .as("the deployment that mends it")
                .containsExactly("order-1");
    }

    @Test
    void a_build_that_stalled_before_the_run_went_on_is_not_held_back_by_the_stall_of_another() {
        UUID blue = sessionOf("blue");
        UUID green = sessionOf("green");
        started("order-1");
        Writer ofBlue = claimedBy(blue);
        ofBlue.write(ofBlue.step().stalls("differs", BACK_OFF).by("blue"));
        advance(Duration.ofSeconds(1));
        Writer ofGreen = claimedBy(green);
        write(ofGreen, ofGreen.step().schedules(1).by("green"));
        signalled(ofGreen.run(), "approve");
        Writer again = claimedBy(green);
        again.write(again.step().stalls("differs now", BACK_OFF).by("green"));
        advance(Duration.ofSeconds(1));

        assertThat(claimedIds(green)).isEmpty();
        assertThat(claimedIds(blue)).containsExactly("order-1");
    }

    @Test
    void a_stall_of_a_process_without_a_build_holds_back_all() {
        Writer stalled = claimed("order-1");

        stalled.write(stalled.step().stalls("differs", BACK_OFF));
        advance(Duration.ofSeconds(1));

        assertThat(claimedIds(sessionOf("green"))).isEmpty();
        advance(BACK_OFF);
        assertThat(claimedIds(sessionOf("green"))).containsExactly("order-1");
    }

    @Test
    void the_back_off_of_the_next_attempt_holds_back_all_builds_whichever_had_stalled() {
        UUID blue = sessionOf("blue");
        UUID green = sessionOf("green");
        started("order-1");
        Writer ofBlue = claimedBy(blue);
        ofBlue.write(ofBlue.step().stalls("differs", BACK_OFF).by("blue"));
        advance(Duration.ofSeconds(1));
        Writer ofGreen = claimedBy(green);
        NewRun next = newRun("order-1")
                .started("{\"attempt\":{\"number\":2}}")
                .startDelay(BACK_OFF)
                .build();
        ofGreen.write(ofGreen.step().retriedAs(next).by("green"));
        advance(Duration.ofSeconds(1));
        signalled(next.run(), "approve");

        assertThat(claimedIds(sessionOf("red"))).isEmpty();
    }

    // ── open runs of each build ─────────────────────────────────────────────────────────────────────────────────────

    @Test
    void builds_tell_the_open_runs_that_they_made_the_last_turn_of_and_those_that_are_pinned_to_them() {
        started(newRun("order-1").firstTurnBy("blue"));
        started(newRun("order-2").firstTurnBy("blue"));
        started(newRun("order-3").pinnedBy("blue"));
        started(newRun("order-4").pinnedBy("green"));
        terminated(started(newRun("order-5").firstTurnBy("red")));
        started("order-6");
        store.move(new RunMove("order-4", null, "black", UUID.randomUUID(), "ann"));

        assertThat(store.buildRuns(100))
                .containsExactly(
                        new BuildRuns("black", exactly(0), exactly(1)),
                        new BuildRuns("blue", exactly(3), exactly(1)),
                        new BuildRuns("green", exactly(1), exactly(0)));
    }

    @Test
    void runs_of_builds_are_counted_up_to_a_bound_and_pinned_ones_of_all_queues() {
        for (int i = 1; i <= 5; i++) {
            started(newRun("order-" + i).pinnedBy("blue").taskQueue("queue-" + i));
        }
        started(newRun("order-6").pinnedBy("green"));

        List<BuildRuns> builds = store.buildRuns(4);

        assertThat(builds)
                .extracting(BuildRuns::build, BuildRuns::pinned)
                .containsExactly(tuple("blue", new BoundedCount(4, true)), tuple("green", exactly(1)));
        assertThat(builds).allSatisfy(build -> {
            assertThat(build.lastTurns().more()).isTrue();
            assertThat(build.lastTurns().count()).isLessThanOrEqualTo(4);
        });
        assertThat(store.buildRuns(5)).extracting(BuildRuns::pinned).containsExactly(exactly(5), exactly(1));
    }

    // ── ramps ────────────────────────────────────────────────────────────────────────────────────────────────────────

    private boolean ramp(String build, Integer percent) {
        return store.change(new QueueChange(UUID.randomUUID(), "ann", new QueueChange.RampBuild(build, percent)));
    }

    private BuildRamps ramps() {
        return store.queueRules(List.of(QUEUE, "other")).ramps();
    }

    @Test
    void ramps_are_told_with_the_builds_that_serve_the_queues_the_one_that_was_set_last_first() {
        sessionOf("blue");
        UUID gone = sessionOf("green");
        sessionOf(null);
        store.openSession(UUID.randomUUID(), "elsewhere", LEASE, new Served(Set.of("other"), Set.of(), null, "red"));
        store.markDead(gone, 0);
        assertThat(ramps()).as("without a ramp").isEqualTo(BuildRamps.NONE);

        assertThat(ramp("blue", 40)).isTrue();
        advance(Duration.ofMillis(1));
        assertThat(ramp("green", 0)).isTrue();

        // The session of the fixture does not say what it serves, and names no build.
        assertThat(ramps())
                .isEqualTo(new BuildRamps(
                        List.of(new BuildRamps.Ramp("green", 0), new BuildRamps.Ramp("blue", 40)),
                        Map.of(QUEUE, Set.of("blue", ""), "other", Set.of("red", ""))));
    }

    @Test
    void a_ramp_that_is_set_again_comes_first_and_one_that_is_so_already_changes_nothing() {
        assertThat(ramp("blue", 40)).isTrue();
        assertThat(ramp("blue", 40)).as("the same").isFalse();
        advance(Duration.ofMillis(1));
        assertThat(ramp("green", 10)).isTrue();
        advance(Duration.ofMillis(1));
        assertThat(ramp("blue", 40)).as("comes first again").isTrue();
        assertThat(ramps().ramps()).extracting(BuildRamps.Ramp::build).containsExactly("blue", "green");
        assertThat(ramp("blue", 100)).isTrue();
        assertThat(ramp("blue", null)).isTrue();
        assertThat(ramp("blue", null)).as("it has none").isFalse();

        assertThat(ramps().ramps()).containsExactly(new BuildRamps.Ramp("green", 10));
        assertThat(store.audit(AuditFilter.ALL, 10))
                .extracting(row -> row.actor() + ": " + row.action() + " " + row.target() + " " + row.details())
                .containsExactlyInAnyOrder(
                        "ann: ramp build blue {\"percent\":40}",
                        "ann: ramp build green {\"percent\":10}",
                        "ann: ramp build blue {\"percent\":40}",
                        "ann: ramp build blue {\"percent\":100}",
                        "ann: end ramp of build blue {}");
    }

    /** The first workflow id of this prefix in the lower or upper half of the shards. */
    private static String idIn(String prefix, boolean lower) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> prefix + i)
                .filter(id -> RunIds.shardOf(id) < RunIds.SHARDS / 2 == lower)
                .findFirst()
                .orElseThrow();
    }

    private List<String> claimedIn(UUID claimer, BuildRamps.Share share) {
        RunClaim claim = new RunClaim(
                claimer,
                Set.of(QUEUE),
                Set.of(TYPE, JobStart.TYPE),
                false,
                100,
                OWNED,
                UUID.randomUUID(),
                Set.of(),
                Map.of(QUEUE, share));
        return store.claimRuns(claim).runs().stream()
                .map(run -> run.run().workflowId())
                .toList();
    }

    private static final BuildRamps.Share LOWER = new BuildRamps.Share(0, RunIds.SHARDS / 2, false);
    private static final BuildRamps.Share NOTHING = new BuildRamps.Share(0, 0, true);

    @Test
    void a_claim_takes_the_runs_of_its_share_at_once_and_others_when_they_have_waited() {
        String own = idIn("own-", true);
        String others = idIn("others-", false);
        started(own);
        started(others);

        assertThat(claimedIn(session, LOWER)).containsExactly(own);
        advance(BuildRamps.PATIENCE.minusSeconds(1));
        assertThat(claimedIn(session, LOWER)).isEmpty();
        advance(Duration.ofSeconds(2));
        assertThat(claimedIn(session, LOWER)).containsExactly(others);
    }

    private @Nullable Duration claimsAgainIn(BuildRamps.Share share) {
        return store.claimRuns(new RunClaim(
                        session,
                        Set.of(QUEUE),
                        Set.of(TYPE),
                        false,
                        100,
                        OWNED,
                        UUID.randomUUID(),
                        Set.of(),
                        Map.of(QUEUE, share)))
                .retryIn();
    }

    @Test
    void a_claim_comes_again_when_others_have_had_their_time_for_runs_that_are_due() {
        assertThat(claimsAgainIn(LOWER)).as("nothing is due").isNull();
        started(idIn("others-", false));

        assertThat(claimsAgainIn(LOWER)).isBetween(Duration.ofMillis(1), BuildRamps.PATIENCE);
        advance(BuildRamps.PATIENCE.minusSeconds(1));
        assertThat(claimsAgainIn(LOWER)).isBetween(Duration.ofMillis(1), Duration.ofSeconds(1));
        assertThat(claimsAgainIn(NOTHING)).as("it takes none of them").isNull();
    }

    @Test
    void a_claim_comes_again_when_others_have_had_their_time_for_runs_with_messages() {
        Writer others = parked(idIn("others-", false));
        signalled(others.run(), "approve");
        advance(Duration.ofSeconds(1));

        assertThat(claimsAgainIn(LOWER)).isBetween(Duration.ofMillis(1), BuildRamps.PATIENCE.minusSeconds(1));
        assertThat(claimsAgainIn(NOTHING)).as("it takes none of them").isNull();
    }

    @Test
    void runs_with_messages_are_shared_as_those_that_are_due() {
        Writer own = parked(idIn("own-", true));
        Writer others = parked(idIn("others-", false));
        signalled(own.run(), "approve");
        signalled(others.run(), "approve");
        advance(Duration.ofSeconds(1));

        assertThat(claimedIn(session, NOTHING)).isEmpty();
        assertThat(claimedIn(session, LOWER)).containsExactly(own.run().workflowId());
        advance(BuildRamps.PATIENCE);
        assertThat(claimedIn(session, NOTHING)).as("rolled back").isEmpty();
        assertThat(claimedIn(session, LOWER)).containsExactly(others.run().workflowId());
    }

    @Test
    void a_build_that_is_rolled_back_goes_on_with_its_pinned_runs_and_with_jobs() {
        started("order-1");
        pinned("order-2");
        started(newRun("job-1").type(JobStart.TYPE));
        advance(Duration.ofHours(1));

        assertThat(claimedIn(sessionOf("blue"), NOTHING)).containsExactlyInAnyOrder("order-2", "job-1");
        assertThat(claimedIds(sessionOf("green"))).containsExactly("order-1");
    }

    @Test
    void runs_of_others_are_in_no_claims_way() {
        for (int i = 0; i < 300; i++) {
            started("order-" + i);
        }

        assertThat(store.claimRuns(new RunClaim(
                                session,
                                Set.of(QUEUE),
                                Set.of(TYPE),
                                false,
                                2,
                                OWNED,
                                UUID.randomUUID(),
                                Set.of(),
                                Map.of(QUEUE, new BuildRamps.Share(RunIds.SHARDS - 100, RunIds.SHARDS, false))))
                        .runs())
                .hasSize(2);
    }

    private static BoundedCount exactly(long count) {
        return new BoundedCount(count, false);
    }

    // ── pinned runs ──────────────────────────────────────────────────────────────────────────────────────────────────

    /** A run that is pinned to blue, and due. */
    private Writer pinned(String workflowId) {
        NewRunBuilder run = newRun(workflowId).pinnedBy("blue").wakeAt(store.now());
        started(run);
        return new Writer(store, run.key(), run.fence(), 2);
    }

    @Test
    void a_run_that_is_pinned_with_its_start_is_claimed_by_its_build_alone() {
        pinned("order-1");
        advance(Duration.ofSeconds(1));

        assertThat(claimedIds(sessionOf("green"))).isEmpty();
        assertThat(claimedIds(sessionOf(null))).isEmpty();
        assertThat(claimedIds(session)).isEmpty();
        assertThat(claimedIds(sessionOf("blue"))).containsExactly("order-1");
    }

    @Test
    void a_run_that_is_pinned_by_a_step_is_claimed_by_its_build_alone_also_for_a_message() {
        Writer writer = claimed("order-1");
        write(writer, writer.step().schedules(1).pinnedBy("blue"));
        signalled(writer.run(), "approve");
        advance(Duration.ofSeconds(1));

        assertThat(claimedIds(sessionOf("green"))).isEmpty();
        assertThat(claimedIds(session)).isEmpty();
        assertThat(claimedIds(sessionOf("blue"))).containsExactly("order-1");
    }

    @Test
    void pinned_runs_of_a_build_without_a_worker_are_in_no_claims_way() {
        for (int i = 1; i <= 5; i++) {
            pinned("pinned-" + i);
        }
        started("order-1");
        advance(Duration.ofSeconds(1));

        assertThat(claimRuns(sessionOf("green"), 1))
                .extracting(claim -> claim.run().workflowId())
                .containsExactly("order-1");
    }

    @Test
    void a_pinned_run_that_is_due_later_is_due_next_for_its_build_alone() {
        NewRunBuilder run =
                newRun("order-1").pinnedBy("blue").wakeAt(store.now().plusSeconds(20));
        started(run);

        assertThat(nextDueFor(sessionOf("green"))).isNull();
        assertThat(nextDueFor(sessionOf("blue")))
                .isEqualTo(store.details(run.key().runId()).orElseThrow().wakeAt());
    }

    private Instant nextDueFor(UUID claimer) {
        return store.claimRuns(new RunClaim(claimer, Set.of(QUEUE), Set.of(TYPE), 10, OWNED))
                .nextDue();
    }

    @Test
    void a_pinned_run_that_continues_begins_on_any_build() {
        Writer writer = pinned("order-1");
        NewRun next = newRun("order-1").build();
        write(writer, writer.step().continuesAs(next));
        advance(Duration.ofSeconds(1));

        assertThat(claimedIds(sessionOf("green"))).containsExactly("order-1");
    }

    @Test
    void a_run_that_is_pinned_before_its_first_turn_is_begun_by_its_build_alone_and_has_no_build_until_then() {
        NewRunBuilder run = newRun("order-1").toBePinnedTo("blue");
        started(run);
        advance(Duration.ofSeconds(1));

        assertThat(buildOf(run.key())).isNull();
        assertThat(claimedIds(sessionOf("green"))).isEmpty();
        assertThat(claimedIds(sessionOf("blue"))).containsExactly("order-1");
    }

    @Test
    void a_run_that_continues_another_is_pinned_from_its_start_where_it_says_so() {
        Writer writer = pinned("order-1");
        write(
                writer,
                writer.step().continuesAs(newRun("order-1").toBePinnedTo("blue").build()));
        advance(Duration.ofSeconds(1));

        assertThat(claimedIds(sessionOf("green"))).isEmpty();
        assertThat(claimedIds(sessionOf("blue"))).containsExactly("order-1");
    }

    @Test
    void a_pinned_run_without_a_worker_of_its_build_times_out() {
        NewRunBuilder run =
                newRun("order-1").pinnedBy("blue").deadline(store.now().plusSeconds(5));
        started(run);
        advance(Duration.ofSeconds(6));

        assertThat(store.expiredRuns(10)).containsExactly(run.key());
        terminated(run.key());
    }

    @Test
    void a_run_that_is_moved_is_claimed_by_the_other_build_and_its_holder_writes_no_more() {
        Writer writer = pinned("order-1");
        advance(Duration.ofSeconds(1));
        Writer holder = claimedBy(sessionOf("blue"));
        RunMove move = new RunMove("order-1", writer.run().runId(), "green", UUID.randomUUID(), "ann");

        assertThat(store.move(move)).isTrue();
        assertThat(store.move(move)).as("sent again").isTrue();

        assertThat(holder.write(holder.step().schedules(1))).isEqualTo(Transition.Outcome.FENCE_LOST);
        assertThat(claimedIds(sessionOf("blue"))).isEmpty();
        assertThat(claimedIds(sessionOf("green"))).containsExactly("order-1");
        assertThat(store.audit(AuditFilter.ALL, 10))
                .singleElement()
                .satisfies(row -> assertThat(row.actor() + ": " + row.action() + " " + row.target())
                        .isEqualTo("ann: move run order-1"));
    }

    @Test
    void a_run_that_stalled_is_tried_at_once_by_the_build_that_it_is_moved_to() {
        UUID blue = sessionOf("blue");
        started("order-1");
        Writer stalled = claimedBy(blue);
        stalled.write(stalled.step().stalls("differs", BACK_OFF).by("blue"));

        assertThat(store.move(new RunMove("order-1", null, "blue", UUID.randomUUID(), "ann")))
                .isTrue();

        assertThat(claimedIds(blue)).containsExactly("order-1");
    }

    @Test
    void no_closed_run_is_moved() {
        Writer writer = pinned("order-1");
        terminated(writer.run());

        assertThat(store.move(new RunMove("order-1", null, "green", UUID.randomUUID(), "ann")))
                .isFalse();
    }

    @Test
    void a_stalled_run_is_tried_again_at_once_by_the_build_that_stalled() {
        UUID blue = sessionOf("blue");
        started("order-1");
        Writer stalled = claimedBy(blue);
        stalled.write(stalled.step().stalls("differs", BACK_OFF).by("blue"));
        RunMove retry = new RunMove("order-1", null, null, UUID.randomUUID(), "ann");
        assertThat(claimedIds(blue)).as("held back").isEmpty();

        assertThat(store.move(retry)).isTrue();
        assertThat(store.move(retry)).as("sent again: nothing holds it back").isFalse();

        assertThat(claimedIds(blue)).containsExactly("order-1");
        assertThat(store.audit(AuditFilter.ALL, 10))
                .singleElement()
                .satisfies(row -> assertThat(row.actor() + ": " + row.action() + " " + row.target())
                        .isEqualTo("ann: retry run order-1"));
    }

    @Test
    void a_run_that_has_not_stalled_is_not_tried_again_and_keeps_its_holder() {
        started("order-1");
        Writer holder = claimedBy(sessionOf("blue"));

        assertThat(store.move(new RunMove("order-1", null, null, UUID.randomUUID(), "ann")))
                .isFalse();

        assertThat(holder.write(holder.step().schedules(1))).isEqualTo(Transition.Outcome.APPLIED);
        assertThat(store.audit(AuditFilter.ALL, 10)).isEmpty();
    }
}
