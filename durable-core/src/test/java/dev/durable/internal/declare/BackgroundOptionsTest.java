package dev.durable.internal.declare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityCancellationType;
import dev.durable.ActivityOptions;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.RetryIf;
import dev.durable.RetryPolicy;
import dev.durable.history.EnqueuedOptions;
import dev.durable.history.OptionsJson;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The options chosen for a background job, in its row and read from it, over those of the process that runs it. */
class BackgroundOptionsTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Activity(startToClose = "90s", retry = @Retry(maxAttempts = 9))
    interface Mails {
        void send();
    }

    @Activity(atMostOnce = true)
    interface Rockets {
        void launch();
    }

    @Activity(retry = @Retry(onExhausted = OnExhausted.FAIL))
    interface Bank {
        void charge();
    }

    static class Never implements RetryIf {
        @Override
        public boolean retry(Throwable failure, int attempt) {
            return false;
        }
    }

    private final Registry registry = Registry.builder()
            .activityType(Mails.class)
            .activityType(Rockets.class)
            .activityType(Bank.class)
            .configuration(Map.of("durable.activities.Mails.heartbeat-timeout", "30s"))
            .build();

    private Optional<ActivityMethod> here(String name) {
        return registry.activityMethod(name);
    }

    private static OptionsAtCallSite everything() {
        return new OptionsAtCallSite()
                .retry(RetryPolicy.sidekiq())
                .startToClose(Duration.ofSeconds(9))
                .scheduleToStart(MINUTE)
                .scheduleToClose(Duration.ofHours(7))
                .heartbeatTimeout(Duration.ofMillis(1_500))
                .priority(-3)
                .transactional(true)
                .limitKey("customer-7, \"quoted\"")
                .cancellation(ActivityCancellationType.ABANDON)
                .header("tenant", "a")
                .maxAttempts(5)
                .initialInterval(Duration.ZERO)
                .backoff(1.5)
                .maxInterval(Duration.ofDays(2))
                .jitter(0.25)
                .doNotRetry(IllegalStateException.class)
                .doNotRetry(IllegalArgumentException.class)
                .onExhausted(OnExhausted.INCIDENT)
                .retryIf(Never.class);
    }

    @Test
    void what_was_chosen_comes_back_from_the_row_and_changes_the_same() {
        ActivityOptions resolved = everything().apply(ActivityOptions.DEFAULT);
        EnqueuedOptions chosen = everything().chosen();
        String row = chosen.with(resolved.withExpiry(Instant.parse("2026-01-31T12:00:00Z")));

        assertThat(OptionsJson.decode(row).withExpiry(null))
                .as("as who looks at no more")
                .isEqualTo(resolved);
        EnqueuedOptions read = EnqueuedOptions.of(row).orElseThrow();
        assertThat(read).isEqualTo(chosen);
        ActivityOptions again = OptionsAtCallSite.of(read).apply(ActivityOptions.DEFAULT);
        assertThat(again.retry()).isEqualTo(resolved.retry());
        assertThat(again.startToClose()).isEqualTo(resolved.startToClose());
        assertThat(again.heartbeatTimeout()).isEqualTo(resolved.heartbeatTimeout());
        assertThat(again.transactional()).isTrue();
        assertThat(again.cancellation()).isEqualTo(ActivityCancellationType.ABANDON);
        assertThat(again.headers()).isEqualTo(Map.of("tenant", "a"));
    }

    @Test
    void options_that_were_not_enqueued_are_fixed() {
        String row = OptionsJson.encode(ActivityOptions.DEFAULT);

        assertThat(EnqueuedOptions.of(row)).isEmpty();
        assertThat(BackgroundOptions.now(row, here("Mails.send"))).isEqualTo(ActivityOptions.DEFAULT);
    }

    @Test
    void a_header_of_that_name_is_none() {
        ActivityOptions options =
                new OptionsAtCallSite().header("enqueued", "x").apply(ActivityOptions.DEFAULT);

        assertThat(EnqueuedOptions.of(OptionsJson.encode(options))).isEmpty();
    }

    @Test
    void who_does_not_have_the_activity_goes_by_the_row() {
        String row = EnqueuedOptions.NOTHING.with(ActivityOptions.DEFAULT);

        assertThat(BackgroundOptions.now(row, Optional.empty())).isEqualTo(ActivityOptions.DEFAULT);
    }

    @Test
    void annotations_and_configuration_of_here_stand_for_what_was_not_chosen() {
        EnqueuedOptions chosen = new OptionsAtCallSite().maxAttempts(2).chosen();
        ActivityOptions web = new OptionsAtCallSite()
                .maxAttempts(2)
                .priority(4)
                .limitKey("smtp")
                .scheduleToStart(MINUTE)
                .maxWorkerCrashes(7)
                .apply(ActivityOptions.DEFAULT);

        ActivityOptions now = BackgroundOptions.now(chosen.with(web), here("Mails.send"));

        assertThat(now.startToClose()).isEqualTo(Duration.ofSeconds(90));
        assertThat(now.heartbeatTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(now.retry().maxAttempts()).isEqualTo(2);
        assertThat(now.retry().maxWorkerCrashes()).as("the store's").isEqualTo(7);
        assertThat(List.of(now.priority(), now.limitKey(), now.scheduleToStart()))
                .as("those that it waited by")
                .containsExactly(4, "smtp", MINUTE);
    }

    @Test
    void at_most_once_of_here_holds_whatever_was_chosen() {
        EnqueuedOptions chosen = new OptionsAtCallSite().maxAttempts(5).chosen();
        ActivityOptions web = new OptionsAtCallSite().maxAttempts(5).apply(ActivityOptions.DEFAULT);

        ActivityOptions now = BackgroundOptions.now(chosen.with(web), here("Rockets.launch"));

        assertThat(now.atMostOnce()).isTrue();
        assertThat(now.retry().maxAttempts()).isOne();
    }

    @Test
    void what_becomes_of_a_job_is_as_it_was_enqueued_unless_a_level_of_here_says() {
        ActivityOptions web =
                ActivityOptions.DEFAULT.withRetry(RetryPolicy.DEFAULT.withOnExhausted(OnExhausted.INCIDENT));
        String row = EnqueuedOptions.NOTHING.with(web);

        assertThat(BackgroundOptions.now(row, here("Mails.send")).retry().onExhausted())
                .as("the default of this engine is of no account")
                .isEqualTo(OnExhausted.INCIDENT);
        assertThat(BackgroundOptions.now(row, here("Bank.charge")).retry().onExhausted())
                .isEqualTo(OnExhausted.FAIL);
    }

    @Test
    void what_a_newer_release_has_chosen_and_nobody_here_knows_is_left_out() {
        EnqueuedOptions chosen = new EnqueuedOptions(
                Map.of("start-to-close", "PT5S", "some-new-option", "x"), Map.of(), List.of(), null);

        assertThat(BackgroundOptions.now(chosen.with(ActivityOptions.DEFAULT), here("Mails.send"))
                        .startToClose())
                .isEqualTo(Duration.ofSeconds(5));
    }
}
