package dev.durable.internal.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.ActivityOptions;
import dev.durable.Durable;
import dev.durable.UsageException;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.HistoryEvent;
import dev.durable.internal.declare.OptionsAtCallSite;
import dev.durable.internal.replay.call.Acts;
import dev.durable.internal.replay.match.StalledException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A heartbeat timeout that no attempt lives long enough for, set where an activity is called. */
class CallSiteHeartbeatTest {
    private static final Duration TWO_MINUTES = Duration.ofMinutes(2);

    private static String call(Duration heartbeat) {
        return Durable.activities(Acts.class, o -> o.heartbeatTimeout(heartbeat))
                .a("x");
    }

    @Test
    void is_refused_at_the_call() {
        assertThatThrownBy(() -> GivenRun.of(w -> call(TWO_MINUTES)))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining(
                        "Acts.a was called with options that do not fit. Acts.a has heartbeatTimeout PT2M, which"
                                + " is longer than its startToClose PT1M (PT1M by default): an attempt is over before its missing"
                                + " heartbeat could be noticed. Set startToClose to how long one attempt may take in all, or"
                                + " heartbeatTimeout to how long it may be silent, which is less.")
                .hasCauseInstanceOf(UsageException.class);
    }

    @Test
    void is_refused_at_a_call_by_name() {
        assertThatThrownBy(() -> GivenRun.of(
                        w -> Durable.activity("Acts.a", o -> o.heartbeatTimeout(TWO_MINUTES), String.class, "x")))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining(
                        "Acts.a was called with options that do not fit. Acts.a has heartbeatTimeout PT2M");
    }

    @Test
    void is_refused_alike_on_replay_where_the_code_goes_on() {
        try (GivenRun run = GivenRun.of(w -> {
            try {
                return call(TWO_MINUTES);
            } catch (UsageException e) {
                return call(Duration.ofSeconds(2));
            }
        })) {
            run.expect("schedule 1 Acts.a[\"x\"]").evicted().completed(1, "b").expectClose("completed \"b\"");
        }
    }

    @Test
    void stands_where_an_older_version_has_written_it() {
        AtomicReference<Duration> heartbeat = new AtomicReference<>(Duration.ofSeconds(2));
        try (GivenRun run = GivenRun.of(w -> call(heartbeat.get()))) {
            heartbeat.set(TWO_MINUTES);
            ActivityOptions old =
                    new OptionsAtCallSite().heartbeatTimeout(TWO_MINUTES).apply(ActivityOptions.DEFAULT);
            HistoryEvent.Inbound started = (HistoryEvent.Inbound) run.history().getFirst();
            ActivityScheduled scheduled = new ActivityScheduled(
                    2,
                    started.at(),
                    1,
                    "Acts.a",
                    "queue",
                    GivenRun.CODEC.encode(new Object[] {"x"}, Object[].class, "arguments"),
                    old);
            WorkflowInstance replayed = run.instance(true);
            try {
                replayed.replay(started, List.of(scheduled));
                assertThat(replayed.close(3)).isNull();
            } finally {
                replayed.evict();
            }
        }
    }
}
