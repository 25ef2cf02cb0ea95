package dev.durable.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.EventJson;
import dev.durable.history.InboxMessage;
import dev.durable.history.LocalCall;
import dev.durable.history.MessageKind;
import dev.durable.history.Payload;
import dev.durable.history.StoredEvent;
import dev.durable.internal.attempt.AttemptOutcome;
import dev.durable.internal.attempt.LocalCalls;
import dev.durable.internal.replay.GivenRun;
import dev.durable.store.ClaimedJob;
import dev.durable.store.RunKey;
import dev.durable.store.StoreClock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LiveRunTest {
    @Activity
    interface Act {
        String act();
    }

    /** Continues as new when it is told to, with an activity in flight. */
    @Workflow
    static class Leaver {
        private final Act act;
        private boolean told;

        Leaver(Act act) {
            this.act = act;
        }

        @Run
        String run(String input) {
            Durable.async(act::act);
            Durable.await(() -> told);
            throw Durable.continueAsNew(Leaver.class, w -> w.run(input));
        }

        @Signal
        void go() {
            told = true;
        }
    }

    private final RunKey key = new RunKey(GivenRun.startedWithFlags(0).runId(), "run-1");
    private final JobBirth birth =
            new JobBirth(key, "Leaver", JobHeaders.of(Map.of(), headers -> "{}"), EagerJobs.NONE, null);
    private final StoreClock clock = new StoreClock() {
        @Override
        public Instant now() {
            return GivenRun.START;
        }

        @Override
        public long nanoTime() {
            return 0;
        }
    };
    private final LiveRun run = new LiveRun(
            key,
            GivenRun.unstarted(Leaver.class),
            clock,
            new RunLocals(LocalCalls.NONE, LocalCalls.IGNORING, UUID::randomUUID),
            null,
            (due, fired) -> {});

    private TransitionDraft draft(long nextEventId) {
        return new TransitionDraft(birth, new OutgoingMessages(key, key.runId(), run::instance, null), nextEventId, 0);
    }

    private AttemptOutcome outcome(ActivityScheduled call, boolean local) {
        UUID lease = UUID.randomUUID();
        ClaimedJob job = birth.local(call, lease);
        ActivityCompleted done = new ActivityCompleted(
                1,
                GivenRun.START,
                call.seq(),
                1,
                lease,
                new Payload("\"done\""),
                GivenRun.START,
                "worker",
                local ? new LocalCall(call.activity(), call.input()) : null);
        return new AttemptOutcome(job, EventJson.outcome(lease, done, null), false, local, () -> {}, why -> false);
    }

    @Test
    void a_run_that_continues_as_new_tells_of_the_outcomes_that_it_waited_for_and_of_no_others() {
        TransitionDraft first = draft(1);
        run.start(first, GivenRun.startedWithFlags(0));
        ActivityScheduled call = first.events().stream()
                .map(EventJson::decode)
                .filter(ActivityScheduled.class::isInstance)
                .map(ActivityScheduled.class::cast)
                .findFirst()
                .orElseThrow();
        TransitionDraft draft = draft(first.nextEventId());
        InboxMessage go = new InboxMessage(UUID.randomUUID(), MessageKind.SIGNAL, "go", "[]", null, GivenRun.START);

        run.feed(
                draft,
                new ArrayDeque<>(List.of(go)),
                new ArrayDeque<>(List.of(outcome(call, true), outcome(call, false))),
                FeedingOrder.BY_TIME);

        assertThat(draft.outcomes()).as("let go of").hasSize(2);
        assertThat(draft.events())
                .extracting(StoredEvent::type)
                .containsExactly("SignalReceived", "ActivityCancelRequested", "ActivityAbandoned");
        run.evict();
    }
}
