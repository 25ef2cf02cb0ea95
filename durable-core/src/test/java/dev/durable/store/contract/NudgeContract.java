package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.ClaimedJob;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewEntry;
import dev.durable.store.Nudges.JobBuried;
import dev.durable.store.Nudges.JobsReady;
import dev.durable.store.Nudges.Nudge;
import dev.durable.store.Nudges.RunClosed;
import dev.durable.store.Nudges.RunsDue;
import dev.durable.store.Nudges.StreamWritten;
import dev.durable.store.Nudges.UpdateAnswered;
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hints: lossy by contract, but a store that never sent one would be slow. */
abstract class NudgeContract extends StoreContract {
    private final LinkedBlockingQueue<Nudge> heard = new LinkedBlockingQueue<>();
    private AutoCloseable listening;

    @BeforeEach
    void listen() {
        listening = store.nudges().listen(heard::add);
    }

    @AfterEach
    void stopListening() throws Exception {
        listening.close();
    }

    @Test
    void a_nudge_is_heard_by_those_who_listen() throws Exception {
        UUID run = UUID.randomUUID();
        store.nudges().send(List.of(new RunsDue("a"), new JobsReady("b"), new RunClosed(run)));

        await(new RunsDue("a"));
        await(new JobsReady("b"));
        await(new RunClosed(run));
    }

    @Test
    void a_start_nudges_the_queue_of_its_run() throws Exception {
        started(newRun("order-1").taskQueue("slow"));

        await(new RunsDue("slow"));
    }

    @Test
    void a_message_nudges_the_queue_of_its_run() throws Exception {
        NewRunBuilder resting = newRun("order-1").taskQueue("slow").firstTurnDone();
        started(resting);

        deliver("order-1", signal("approve"));

        await(new RunsDue("slow"));
    }

    @Test
    void a_stall_that_others_may_end_nudges_their_queue() throws Exception {
        Writer writer = claimed("order-1");
        writer.write(writer.step()
                .stallsFor("differs", Duration.ofMinutes(1), "slow")
                .by("blue"));

        await(new RunsDue("slow"));
    }

    @Test
    void a_ready_job_nudges_its_queue() throws Exception {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(Outcomes.job(1, store.now(), ACTIVITY, "slow", 0, null)));

        await(new JobsReady("slow"));
    }

    @Test
    void a_job_that_becomes_a_dead_letter_or_an_incident_is_a_nudge() throws Exception {
        Writer writer = scheduled("order-1", 1);
        ClaimedJob job = claimJob(session);
        heard.clear();

        update(new JobUpdate.Bury(job.key(), job.lease(), true, 2, "f", "[]", "declined", null, null));

        await(new JobBuried());
        assertThat(jobStates(writer.run())).containsEntry(1, "incident");
    }

    @Test
    void an_outcome_nudges_the_queue_of_its_run() throws Exception {
        NewRunBuilder run = newRun("order-1").taskQueue("slow").schedules(Outcomes.job(1, store.now()));
        started(run);
        heard.clear();

        update(completed(claimJob(session)));

        await(new RunsDue("slow"));
    }

    @Test
    void an_answer_to_an_update_nudges_those_who_wait_for_it() throws Exception {
        Writer writer = claimed("order-1");
        writer.write(writer.step().replies(new Reply(Reply.idOf("u-1"), Reply.Kind.COMPLETED, "1")));

        await(new UpdateAnswered(writer.run().runId()));
    }

    @Test
    void an_entry_of_a_stream_nudges_its_readers() throws Exception {
        Writer writer = claimed("order-1");
        writer.write(writer.step().appends("tokens", "1").schedules(1));
        await(new StreamWritten(writer.run().runId()));
        ClaimedJob job = claimJob(session);
        heard.clear();

        update(new JobUpdate.Append(job.key(), job.lease(), 1, 0, new NewEntry("tokens", "2")));

        await(new StreamWritten(writer.run().runId()));
    }

    @Test
    void a_close_nudges_those_who_wait_for_the_run() throws Exception {
        Writer writer = claimed("order-1");
        writer.write(writer.closing());

        await(new RunClosed(writer.run().runId()));
    }

    @Test
    void a_run_that_was_ended_without_its_code_nudges_those_who_wait_for_it() throws Exception {
        RunKey run = started("order-1");
        terminated(run);

        await(new RunClosed(run.runId()));
    }

    @Test
    void a_listener_that_left_hears_no_more() throws Exception {
        listening.close();
        LinkedBlockingQueue<Nudge> others = new LinkedBlockingQueue<>();
        try (AutoCloseable other = store.nudges().listen(others::add)) {
            store.nudges().send(Set.of(new RunsDue("a")));
            await(others, new RunsDue("a"));
        }
        assertThat(heard).doesNotContain(new RunsDue("a"));
    }

    private void await(Nudge wanted) throws InterruptedException {
        await(heard, wanted);
    }

    /** Whoever begins to listen hears sooner or later that others are heard from now on. */
    private static void await(LinkedBlockingQueue<Nudge> heard, Nudge wanted) throws InterruptedException {
        Nudge nudge = heard.poll(60, TimeUnit.SECONDS);
        while (nudge != null && !nudge.equals(wanted)) {
            nudge = heard.poll(60, TimeUnit.SECONDS);
        }
        assertThat(nudge).isEqualTo(wanted);
    }
}
