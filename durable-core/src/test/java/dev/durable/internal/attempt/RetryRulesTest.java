package dev.durable.internal.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ActivityCancellationType;
import dev.durable.ActivityOptions;
import dev.durable.CancelledException;
import dev.durable.DeferException;
import dev.durable.NonRetryableException;
import dev.durable.OnExhausted;
import dev.durable.RetryIf;
import dev.durable.RetryPolicy;
import dev.durable.RetryableException;
import dev.durable.history.OptionsJson;
import dev.durable.history.TimeoutType;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.payload.PayloadCodec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The consequence of a failed attempt, in a worker and with the holder of a token. */
class RetryRulesTest {
    private static final String MATRIX = """
                           | FAIL        | INCIDENT    | DEAD_LETTER | DISCARD
    fails                  | again 2     | again 2     | again 2     | again 2
    fails, last            | failed      | incident    | dead letter | discarded
    fails, two are left    | again 2 of 3 | again 2 of 3 | again 2 of 3 | again 2 of 3
    fails, none is left    | failed      | incident    | dead letter | discarded
    fails, retryIf says no | failed      | incident    | dead letter | discarded
    fails, at most once    | failed      | incident    | dead letter | discarded
    fails, no time         | out of time | out of time | out of time | out of time
    answers                | failed      | failed      | failed      | failed
    answers, background    | failed      | incident    | dead letter | discarded
    defers                 | given back  | given back  | given back  | given back
    can't cross            | failed      | incident    | dead letter | discarded
    times out              | again 2     | again 2     | again 2     | again 2
    times out, last        | timed out START_TO_CLOSE | incident | dead letter | discarded
    times out, no time     | out of time | out of time | out of time | out of time
    closes                 | timed out SCHEDULE_TO_CLOSE | timed out SCHEDULE_TO_CLOSE | timed out SCHEDULE_TO_CLOSE | timed out SCHEDULE_TO_CLOSE
    fails, cancelled       | failed      | failed      | failed      | failed
    stops, cancelled       | cancelled   | cancelled   | cancelled   | cancelled
    defers, cancelled      | cancelled   | cancelled   | cancelled   | cancelled
    times out, cancelled   | cancelled late | cancelled late | cancelled late | cancelled late
    closes, cancelled      | cancelled late | cancelled late | cancelled late | cancelled late
    can't cross, cancelled | failed      | failed      | failed      | failed
    """;

    static Stream<Arguments> cells() {
        List<String[]> rows = MATRIX.lines().map(line -> line.split("\\|")).toList();
        return rows.stream()
                .skip(1)
                .flatMap(row -> IntStream.range(1, row.length)
                        .mapToObj(i -> Arguments.of(
                                row[0].strip(), OnExhausted.valueOf(rows.getFirst()[i].strip()), row[i].strip())));
    }

    @ParameterizedTest(name = "{0}, {1} -> {2}")
    @MethodSource("cells")
    void is_as_the_table_says(String what, OnExhausted then, String expected) {
        boolean cancelled = what.endsWith("cancelled");
        RetryRules rules = rules(what, then);
        AttemptResult ruling =
                switch (what.replaceFirst(",.*", "")) {
                    case "fails" -> rules.threw(failure(what), cancelled);
                    case "answers" -> rules.threw(new NonRetryableException("no such account"), cancelled);
                    case "defers" -> rules.threw(new DeferException(Duration.ofMinutes(1)), cancelled);
                    case "stops" -> rules.threw(new IllegalStateException(new CancelledException("stop")), cancelled);
                    case "can't cross" -> rules.cannotCross(new IllegalStateException("too large"), cancelled);
                    case "times out" -> rules.timedOut(TimeoutType.START_TO_CLOSE, cancelled);
                    case "closes" -> rules.timedOut(TimeoutType.SCHEDULE_TO_CLOSE, cancelled);
                    default -> throw new IllegalArgumentException(what);
                };

        assertThat(words(ruling)).isEqualTo(expected);
    }

    @Test
    void a_timeout_says_which_attempt_it_was_of_what_and_in_whose_hands() {
        assertThat(rules("", OnExhausted.FAIL).describe(TimeoutType.START_TO_CLOSE))
                .isEqualTo("attempt 1 of Work.run, which was left to others, ran out of start-to-close (PT1M)");
    }

    private static Throwable failure(String what) {
        return what.contains("left")
                ? new RetryableException("busy").remainingAttempts(what.contains("two") ? 2 : 0)
                : what.contains("at most once")
                        ? new RetryableException("again, please").remainingAttempts(2)
                        : new IllegalStateException("broken");
    }

    private static RetryRules rules(String what, OnExhausted then) {
        boolean once = what.contains("at most once");
        RetryPolicy policy = new RetryPolicy(
                        once || what.endsWith("last") ? 1 : 9,
                        Duration.ofSeconds(10),
                        2,
                        Duration.ofMinutes(1),
                        0,
                        List.of(),
                        3)
                .withOnExhausted(then);
        ActivityOptions options = options(what.contains("retryIf") ? asking(policy) : policy, once);
        PayloadCodec payloads = new PayloadCodec(10_000);
        return new RetryRules(
                new RetryRules.Of("Work.run", 1, 1, what.endsWith("background"), ", which was left to others,"),
                new RetryRules.Terms(
                        options, OptionsJson.encode(options), what.endsWith("no time") ? Duration.ofSeconds(5) : null),
                new AttemptServices.Code(name -> Optional.empty(), payloads, new FailureCodec(payloads)),
                new Random(42));
    }

    private static ActivityOptions options(RetryPolicy policy, boolean once) {
        return new ActivityOptions(
                null,
                Duration.ofMinutes(1),
                null,
                null,
                null,
                policy,
                0,
                false,
                false,
                once,
                Map.of(),
                null,
                ActivityCancellationType.TRY_CANCEL,
                null);
    }

    private static RetryPolicy asking(RetryPolicy policy) {
        return new RetryPolicy(
                policy.maxAttempts(),
                policy.initialInterval(),
                policy.backoff(),
                policy.maxInterval(),
                policy.jitter(),
                policy.doNotRetry(),
                policy.maxWorkerCrashes(),
                policy.growth(),
                Never.class.getName(),
                policy.onExhausted(),
                0);
    }

    /** A predicate by which no failure is worth another attempt. */
    static final class Never implements RetryIf {
        @Override
        public boolean retry(Throwable failure, int attempt) {
            return false;
        }
    }

    private static String words(AttemptResult ruling) {
        return switch (ruling) {
            case AttemptResult.Failed ignored -> "failed";
            case AttemptResult.Cancelled ignored -> "cancelled";
            case AttemptResult.CancelledLate ignored -> "cancelled late";
            case AttemptResult.TimedOut timedOut -> "timed out " + timedOut.timeout();
            case AttemptResult.OutOfTime ignored -> "out of time";
            case AttemptResult.Discarded ignored -> "discarded";
            case AttemptResult.Buried buried -> buried.incident() ? "incident" : "dead letter";
            case AttemptResult.Again again -> {
                AttemptResult.Again.Limited limited = again.limited();
                yield "again 2"
                        + (limited == null
                                ? ""
                                : " of "
                                        + OptionsJson.decode(limited.options().json())
                                                .retry()
                                                .maxAttempts());
            }
            case AttemptResult.GivenBack ignored -> "given back";
        };
    }
}
