package dev.durable.internal.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Durable;
import dev.durable.RetryPolicy;
import dev.durable.history.ActivityScheduled;
import dev.durable.internal.replay.match.StalledException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Calls of activities by name, where no compiler looks at arguments. */
class CallByNameTest {

    @Test
    void a_call_with_too_many_arguments_stalls_the_run_and_names_call_line_and_way_out() {
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.activity("Acts.a", String.class, "x", "y", 3)))
                .isInstanceOf(StalledException.class)
                .message()
                .matches("Scripted run-1 is stalled: Durable\\.activity\\(\"Acts\\.a\", …\\) at Scripted\\.run"
                        + "\\(Scripted\\.java:\\d+\\) can't be made\\. Acts\\.a takes 1 argument \\(String\\), and was"
                        + " given 3\\. Usual cause: the method was changed, and nothing checks calls by name when they are"
                        + " compiled\\. Give what it takes, or call it through a stub of its type; the turn is tried again,"
                        + " with the code that is deployed then\\.");
    }

    @Test
    void so_does_one_without_arguments_where_some_are_taken_or_with_some_where_none_is() {
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.activity("Acts.count", Integer.class)))
                .hasMessageContaining("Acts.count takes 1 argument (int), and was given 0.");
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.activity("Acts.nothing", Void.class, "x")))
                .hasMessageContaining("Acts.nothing takes no arguments, and was given 1.");
    }

    @Test
    void so_does_an_argument_of_another_type_or_a_null_for_a_primitive() {
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.activity("Acts.count", Integer.class, "7")))
                .hasMessageContaining("Acts.count takes 1 argument (int), and argument 1 is of type java.lang.String.");
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.activity("Acts.count", Integer.class, 7L)))
                .hasMessageContaining("and argument 1 is of type java.lang.Long.");
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.activity("Acts.count", Integer.class, (Object) null)))
                .hasMessageContaining("and argument 1 is null, which no int can be.");
    }

    @Test
    void a_name_that_is_none_is_shown_shortened_with_the_call_that_has_it() {
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.activity("x".repeat(20_000), String.class)))
                .isInstanceOf(StalledException.class)
                .message()
                .startsWith("Scripted run-1 is stalled: Durable.activity(…): the activity \"" + "x".repeat(60)
                        + "…\" must be 1 to 200 characters, not blank; this one has 20,000. Use a short name such as")
                .hasSizeLessThan(600);
        assertThatThrownBy(() -> GivenRun.of(w -> Durable.activity(
                        "Acts.a",
                        o -> o.retry(new RetryPolicy(
                                1, Duration.ofMillis(1), 1, Duration.ofMillis(1), 0, List.of("x".repeat(1_001)), 0)),
                        String.class,
                        "y")))
                .isInstanceOf(StalledException.class)
                .hasMessageContaining(
                        "retry is wrong at a call site. It must be full class names, separated by commas");
    }

    @Test
    void code_that_catches_everything_does_not_swallow_it() {
        assertThatThrownBy(() -> GivenRun.of(w -> {
                    try {
                        return Durable.activity("Acts.a", String.class);
                    } catch (Throwable e) {
                        return "swallowed";
                    }
                }))
                .isInstanceOf(StalledException.class);
    }

    @Test
    void a_null_that_the_type_allows_and_a_lonely_null_are_arguments() {
        try (GivenRun run = GivenRun.of(w -> {
            Durable.async(() -> Durable.activity("Acts.a", String.class, (Object) null));
            return Durable.activity("Acts.a", String.class, (Object[]) null);
        })) {
            run.expect("schedule 1 Acts.a[null]", "schedule 2 Acts.a[null]");
        }
    }

    @Test
    void options_at_the_call_go_before_those_declared() {
        try (GivenRun run = GivenRun.of(
                w -> Durable.activity("Acts.elsewhere", o -> o.maxAttempts(3).taskQueue("slow"), String.class, "y"))) {
            ActivityScheduled scheduled =
                    (ActivityScheduled) run.last().commands().getFirst();
            assertThat(scheduled.taskQueue()).isEqualTo("slow");
            assertThat(scheduled.options().retry().maxAttempts()).isEqualTo(3);
            assertThat(scheduled.options().startToClose()).isEqualTo(Duration.ofSeconds(5));
            run.completed(1, "!").expectClose("completed \"!\"");
        }
    }

    @Test
    void to_an_activity_that_nobody_here_declares_anything_can_be_given() {
        try (GivenRun run = GivenRun.of(
                w -> Durable.activity("Elsewhere.pay", String.class, new BigDecimal("1.50"), Duration.ofMinutes(2)))) {
            run.expect("schedule 1 Elsewhere.pay[1.50,\"PT2M\"]");
        }
    }
}
