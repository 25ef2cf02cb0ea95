package dev.durable.history;

import dev.durable.RetryPolicy;
import dev.durable.internal.json.JsonObjectReader;
import dev.durable.internal.json.JsonObjectWriter;
import org.jspecify.annotations.Nullable;

/**
 * The place of a run among the attempts of its workflow.
 *
 * @param number from 1; begins anew at 1 where a run continues as new
 * @param retry the policy, as it was resolved at the start of the chain
 * @param lastFailure the failure of the attempt before; null for the first
 * @param maxAttempts the limit of attempts that a failure of an attempt before has set; null leaves the policy's
 */
public record RunAttempt(
        int number,
        RetryPolicy retry,
        @Nullable Failure lastFailure,
        @Nullable Integer maxAttempts) {

    /** An attempt under the limit of its policy. */
    public RunAttempt(int number, RetryPolicy retry, @Nullable Failure lastFailure) {
        this(number, retry, lastFailure, null);
    }

    /** Returns the policy with the limit that holds for this attempt. */
    public RetryPolicy policy() {
        return maxAttempts == null ? retry : retry.withMaxAttempts(maxAttempts);
    }

    static void write(RunAttempt attempt, JsonObjectWriter out) {
        out.number("number", attempt.number)
                .object("retry", attempt.retry, OptionsJson::write)
                .object("lastFailure", attempt.lastFailure, FailureJson::write);
        if (attempt.maxAttempts != null) {
            out.number("maxAttempts", attempt.maxAttempts);
        }
    }

    static RunAttempt read(JsonObjectReader in) {
        return new RunAttempt(
                in.integer("number"),
                OptionsJson.readRetry(JsonObjectReader.of(in.json("retry"))),
                FailureJson.readOrNull(in.jsonOrNull("lastFailure")),
                in.jsonOrNull("maxAttempts") == null ? null : in.integer("maxAttempts"));
    }

    /** Returns the attempt that follows this one, under a limit that a failure has set, or null. */
    public RunAttempt next(Failure failure, @Nullable Integer limit) {
        return new RunAttempt(number + 1, retry, failure, limit);
    }

    /** Returns the first attempt of the run that continues this one as new, under the limit of the policy. */
    public RunAttempt ofNextRun() {
        return new RunAttempt(1, retry, null);
    }
}
