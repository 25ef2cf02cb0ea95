package dev.durable.internal.declare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityCancellationType;
import dev.durable.ActivityOptions;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.RetryIf;
import dev.durable.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** type < method < configuration < call site, attribute by attribute, inside the retry policy too. */
class OptionLevelsTest {
    @Activity(
            startToClose = "10s",
            heartbeatTimeout = "3s",
            taskQueue = "slow",
            transactional = true,
            headers = {"a=1", "b = 2"},
            retry = @Retry(maxAttempts = 5, initialInterval = "200ms", backoff = 3, doNotRetry = IOException.class))
    interface Payments {
        void plain();

        @Activity(
                startToClose = "20s",
                priority = -2,
                headers = "a=3",
                retry = @Retry(maxAttempts = 7, jitter = 0, doNotRetry = IllegalStateException.class))
        void special();
    }

    @Activity
    interface Bare {
        void work();
    }

    @Activity(retry = @Retry(initialInterval = "5m"))
    interface Patient {
        void work();
    }

    private static ActivityOptions options(Class<?> type, String method, Map<String, String> configuration) {
        @SuppressWarnings({"unchecked", "rawtypes"})
        Registry.Builder builder = Registry.builder().activity((Class) type, org.mockito.Mockito.mock(type));
        return builder.configuration(configuration).build().activityType(type).methods().stream()
                .filter(m -> m.spec().method().getName().equals(method))
                .findFirst()
                .orElseThrow()
                .options();
    }

    @Test
    void what_nobody_sets_is_the_default() {
        assertThat(options(Bare.class, "work", Map.of())).isEqualTo(ActivityOptions.DEFAULT);
    }

    @Test
    void a_method_has_the_options_of_its_type() {
        assertThat(options(Payments.class, "plain", Map.of()))
                .isEqualTo(new ActivityOptions(
                        "slow",
                        Duration.ofSeconds(10),
                        null,
                        null,
                        Duration.ofSeconds(3),
                        new RetryPolicy(
                                5,
                                Duration.ofMillis(200),
                                3,
                                Duration.ofMinutes(1),
                                0.2,
                                List.of(IOException.class.getName()),
                                3),
                        0,
                        true,
                        false,
                        false,
                        Map.of("a", "1", "b", "2"),
                        null,
                        ActivityCancellationType.TRY_CANCEL,
                        null));
    }

    @Test
    void a_method_overrides_its_type_attribute_by_attribute_and_exceptions_and_switches_only_add() {
        assertThat(options(Payments.class, "special", Map.of()))
                .isEqualTo(new ActivityOptions(
                        "slow",
                        Duration.ofSeconds(20),
                        null,
                        null,
                        Duration.ofSeconds(3),
                        new RetryPolicy(
                                7,
                                Duration.ofMillis(200),
                                3,
                                Duration.ofMinutes(1),
                                0,
                                List.of(IOException.class.getName(), IllegalStateException.class.getName()),
                                3),
                        -2,
                        true,
                        false,
                        false,
                        Map.of("a", "3", "b", "2"),
                        null,
                        ActivityCancellationType.TRY_CANCEL,
                        null));
    }

    @Test
    void configuration_overrides_annotations_and_its_method_keys_override_its_type_keys() {
        Map<String, String> configuration = Map.of(
                "durable.activities.Payments.start-to-close", "1h",
                "durable.activities.Payments.transactional", "false",
                "durable.activities.Payments.headers.c", "4",
                "durable.activities.Payments.retry.max-attempts", "9",
                "durable.activities.Payments.retry.do-not-retry", "com.acme.Declined, com.acme.Gone",
                "durable.activities.Payments.methods.special.retry.max-attempts", "11",
                "durable.activities.Payments.methods.special.schedule-to-close", "P1D");

        ActivityOptions special = options(Payments.class, "special", configuration);
        assertThat(special.startToClose()).isEqualTo(Duration.ofHours(1));
        assertThat(special.transactional()).isFalse();
        assertThat(special.headers()).isEqualTo(Map.of("a", "3", "b", "2", "c", "4"));
        assertThat(special.retry().maxAttempts()).isEqualTo(11);
        assertThat(special.retry().doNotRetry()).containsExactly("com.acme.Declined", "com.acme.Gone");
        assertThat(special.scheduleToClose()).isEqualTo(Duration.ofDays(1));

        ActivityOptions plain = options(Payments.class, "plain", configuration);
        assertThat(plain.retry().maxAttempts()).isEqualTo(9);
        assertThat(plain.scheduleToClose()).isNull();
    }

    @Test
    void a_long_first_interval_lifts_a_bound_that_nobody_set() {
        assertThat(options(Patient.class, "work", Map.of()).retry().maxInterval())
                .isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void the_call_site_overrides_everything_and_adds_exceptions() {
        ActivityOptions declared = options(Payments.class, "special", Map.of());

        ActivityOptions called = new OptionsAtCallSite()
                .taskQueue("fast")
                .startToClose(Duration.ofSeconds(1))
                .scheduleToStart(Duration.ofSeconds(2))
                .scheduleToClose(Duration.ofSeconds(4))
                .heartbeatTimeout(Duration.ofSeconds(5))
                .priority(6)
                .local(false)
                .atMostOnce(false)
                .transactional(false)
                .header("a", "5")
                .maxAttempts(1)
                .backoff(1)
                .jitter(0.5)
                .maxInterval(Duration.ofSeconds(8))
                .maxWorkerCrashes(0)
                .doNotRetry(ArithmeticException.class)
                .apply(declared);

        assertThat(called)
                .isEqualTo(new ActivityOptions(
                        "fast",
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(5),
                        new RetryPolicy(
                                1,
                                Duration.ofMillis(200),
                                1,
                                Duration.ofSeconds(8),
                                0.5,
                                List.of(
                                        IOException.class.getName(),
                                        IllegalStateException.class.getName(),
                                        ArithmeticException.class.getName()),
                                0),
                        6,
                        false,
                        false,
                        false,
                        Map.of("a", "5", "b", "2"),
                        null,
                        ActivityCancellationType.TRY_CANCEL,
                        null));
        assertThat(new OptionsAtCallSite().apply(declared)).isEqualTo(declared);
        assertThat(new OptionsAtCallSite()
                        .initialInterval(Duration.ofHours(1))
                        .apply(declared)
                        .retry()
                        .maxInterval())
                .isEqualTo(Duration.ofHours(1));
    }

    @Test
    void a_retry_policy_at_the_call_site_replaces_the_whole_and_later_calls_refine_it() {
        RetryPolicy policy = new RetryPolicy(2, Duration.ZERO, 1, Duration.ZERO, 0, List.of("com.acme.Gone"), 1);
        ActivityOptions declared = options(Payments.class, "special", Map.of());

        RetryPolicy called = new OptionsAtCallSite()
                .jitter(1)
                .retry(policy)
                .maxAttempts(4)
                .doNotRetry(ArithmeticException.class)
                .apply(declared)
                .retry();

        assertThat(called)
                .isEqualTo(new RetryPolicy(
                        4,
                        Duration.ZERO,
                        1,
                        Duration.ZERO,
                        0,
                        List.of("com.acme.Gone", ArithmeticException.class.getName()),
                        1));
    }

    @Test
    void wrong_values_at_the_call_site_are_refused_where_they_are_set() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OptionsAtCallSite().startToClose(Duration.ZERO))
                .withMessageContaining("startToClose is wrong at a call site")
                .withMessageContaining("a duration above zero");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OptionsAtCallSite().jitter(3))
                .withMessageContaining("a number from 0 to 1, and is 3.0");
    }

    @Activity
    interface Torn {
        @Activity(transactional = true, local = true)
        void work();
    }

    @Test
    void transactional_and_local_do_not_go_together_at_registration_and_at_the_call_site() {
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> options(Torn.class, "work", Map.of()))
                .isInstanceOf(dev.durable.RegistrationException.class)
                .hasMessageContaining("Torn.work")
                .hasMessageContaining("both transactional and local")
                .hasMessageContaining("Take one of them away");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OptionsAtCallSite().local(true).apply(options(Payments.class, "plain", Map.of())))
                .withMessageContaining("both transactional and local");
    }

    // ── what follows when attempts are used up ──────────────────────────────────────────────────────────────────────

    static final class OnlyIo implements RetryIf {
        @Override
        public boolean retry(Throwable failure, int attempt) {
            return failure instanceof IOException;
        }
    }

    @Activity(cancellation = ActivityCancellationType.ABANDON)
    interface Cancelled {
        void plain();

        @Activity(cancellation = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED)
        void own();
    }

    @Test
    void what_cancelling_means_can_be_said_on_every_level() {
        assertThat(options(Bare.class, "work", Map.of()).cancellation()).isEqualTo(ActivityCancellationType.TRY_CANCEL);
        assertThat(options(Cancelled.class, "plain", Map.of()).cancellation())
                .isEqualTo(ActivityCancellationType.ABANDON);
        ActivityOptions own = options(Cancelled.class, "own", Map.of());
        assertThat(own.cancellation()).isEqualTo(ActivityCancellationType.WAIT_CANCELLATION_COMPLETED);
        assertThat(options(
                                Cancelled.class,
                                "plain",
                                Map.of("durable.activities.Cancelled.cancellation", "wait-cancellation-completed"))
                        .cancellation())
                .isEqualTo(ActivityCancellationType.WAIT_CANCELLATION_COMPLETED);
        assertThat(new OptionsAtCallSite()
                        .cancellation(ActivityCancellationType.TRY_CANCEL)
                        .apply(own)
                        .cancellation())
                .isEqualTo(ActivityCancellationType.TRY_CANCEL);
    }

    @Activity(cancellation = {ActivityCancellationType.ABANDON, ActivityCancellationType.TRY_CANCEL})
    interface TwoWays {
        void work();
    }

    @Test
    void two_ways_to_cancel_and_one_that_does_not_exist_are_refused() {
        assertThatThrownBy(() -> options(TwoWays.class, "work", Map.of()))
                .hasMessageContaining("has 2 values of cancellation. Keep one: an activity is cancelled in one way");
        assertThatThrownBy(() -> options(Bare.class, "work", Map.of("durable.activities.Bare.cancellation", "forget")))
                .hasMessageContaining("Configuration key durable.activities.Bare.cancellation has a wrong value."
                        + " It must be TRY_CANCEL, WAIT_CANCELLATION_COMPLETED or ABANDON, and is \"forget\"");
    }

    @Activity(retry = @Retry(onExhausted = OnExhausted.INCIDENT, retryIf = OnlyIo.class))
    interface Watched {
        void plain();

        @Activity(retry = @Retry(onExhausted = OnExhausted.DEAD_LETTER))
        int own();
    }

    @Test
    void what_follows_and_who_is_asked_are_attributes_like_others() {
        assertThat(options(Watched.class, "plain", Map.of()).retry().onExhausted())
                .isEqualTo(OnExhausted.INCIDENT);
        RetryPolicy own = options(Watched.class, "own", Map.of()).retry();
        assertThat(own.onExhausted()).isEqualTo(OnExhausted.DEAD_LETTER);
        assertThat(own.retryIf()).isEqualTo(OnlyIo.class.getName());
        assertThat(options(Watched.class, "own", Map.of("durable.activities.Watched.retry.on-exhausted", "incident"))
                        .retry()
                        .onExhausted())
                .isEqualTo(OnExhausted.INCIDENT);
    }

    @Activity(
            retry =
                    @Retry(
                            maxAttempts = 26,
                            initialInterval = "15s",
                            growth = RetryPolicy.Growth.POLYNOMIAL,
                            backoff = 4,
                            maxInterval = "4d",
                            jitter = 0.1))
    interface LikeSidekiq {
        void work();
    }

    @Activity(retry = @Retry(growth = {RetryPolicy.Growth.EXPONENTIAL, RetryPolicy.Growth.POLYNOMIAL}))
    interface TornGrowths {
        void work();
    }

    @Test
    void each_preset_can_be_written_as_an_annotation_and_as_configuration() {
        assertThat(options(LikeSidekiq.class, "work", Map.of()).retry()).isEqualTo(RetryPolicy.sidekiq());
        for (RetryPolicy preset : List.of(
                RetryPolicy.DEFAULT,
                RetryPolicy.temporal(),
                RetryPolicy.sidekiq(),
                RetryPolicy.fixed(Duration.ofSeconds(30), 10),
                RetryPolicy.none())) {
            String retry = "durable.activities.Bare.retry.";
            Map<String, String> written = Map.of(
                    retry + "max-attempts", "" + preset.maxAttempts(),
                    retry + "initial-interval", "" + preset.initialInterval(),
                    retry + "backoff", "" + preset.backoff(),
                    retry + "growth", preset.growth().name().toLowerCase(Locale.ROOT),
                    retry + "max-interval", "" + preset.maxInterval(),
                    retry + "jitter", "" + preset.jitter());
            assertThat(options(Bare.class, "work", written).retry()).isEqualTo(preset);
        }
        RetryPolicy chosen = new OptionsAtCallSite()
                .growth(RetryPolicy.Growth.POLYNOMIAL)
                .apply(ActivityOptions.DEFAULT)
                .retry();
        assertThat(chosen.growth()).isEqualTo(RetryPolicy.Growth.POLYNOMIAL);
    }

    @Test
    void a_growth_that_does_not_exist_and_two_of_them_are_refused() {
        assertThatThrownBy(() -> options(Bare.class, "work", Map.of("durable.activities.Bare.retry.growth", "wild")))
                .hasMessageContaining("Configuration key durable.activities.Bare.retry.growth has a wrong value."
                        + " It must be EXPONENTIAL or POLYNOMIAL, and is \"wild\"");
        assertThatThrownBy(() -> options(TornGrowths.class, "work", Map.of()))
                .hasMessageContaining("has 2 values of growth. Keep one: delays grow in one way");
    }

    @Activity(retry = @Retry(onExhausted = OnExhausted.DISCARD))
    interface Counting {
        int count();
    }

    @Activity(local = true, retry = @Retry(onExhausted = OnExhausted.INCIDENT))
    interface Near {
        void work();
    }

    @Activity(retry = @Retry(onExhausted = {OnExhausted.FAIL, OnExhausted.DISCARD}))
    interface TornEnds {
        void work();
    }

    abstract static class Unmade implements RetryIf {}

    static final class Needy implements RetryIf {
        Needy(String need) {}

        @Override
        public boolean retry(Throwable failure, int attempt) {
            return true;
        }
    }

    @Activity(retry = @Retry(retryIf = Unmade.class))
    interface AsksUnmade {
        void work();
    }

    @Activity(retry = @Retry(retryIf = Needy.class))
    interface AsksNeedy {
        void work();
    }

    @Test
    void what_can_not_follow_is_refused_with_the_way_out() {
        assertThatThrownBy(() -> options(Counting.class, "count", Map.of()))
                .hasMessageContaining("Counting.count has onExhausted = DISCARD and returns int, which can't be null."
                        + " Return the boxed type, or choose FAIL, INCIDENT or DEAD_LETTER.");
        assertThatThrownBy(() -> options(Near.class, "work", Map.of()))
                .hasMessageContaining(
                        "Near.work is local and has onExhausted = INCIDENT: a local activity has no job that"
                                + " could stay. Take local = true away, or choose FAIL or DISCARD.");
        assertThatThrownBy(() -> options(TornEnds.class, "work", Map.of()))
                .hasMessageContaining("has 2 values of onExhausted. Keep one");
        assertThatThrownBy(() -> options(AsksUnmade.class, "work", Map.of()))
                .hasMessageContaining("is abstract: name a class that implements RetryIf");
        assertThatThrownBy(() -> options(AsksNeedy.class, "work", Map.of()))
                .hasMessageContaining("has no constructor without arguments");
        assertThatThrownBy(() ->
                        options(Bare.class, "work", Map.of("durable.activities.Bare.retry.on-exhausted", "panic")))
                .hasMessageContaining("It must be FAIL, INCIDENT, DEAD_LETTER or DISCARD, and is \"panic\"");
    }

    @Activity
    interface Once {
        @Activity(atMostOnce = true)
        void plain();

        @Activity(atMostOnce = true, retry = @Retry(maxAttempts = 2))
        void twice();
    }

    @Test
    void at_most_once_is_one_attempt_and_does_not_go_with_more_or_with_local() {
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> options(Once.class, "plain", Map.of()))
                .hasMessageContaining("Once.twice")
                .hasMessageContaining("at most once and has maxAttempts 2");
        ActivityOptions once = new OptionsAtCallSite().atMostOnce(true).apply(options(Bare.class, "work", Map.of()));
        assertThat(once.retry().maxAttempts()).isOne();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OptionsAtCallSite().local(true).apply(once))
                .withMessageContaining("at most once and local");
    }
}
