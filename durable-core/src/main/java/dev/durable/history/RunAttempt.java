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
 */
public record RunAttempt(
        int number, RetryPolicy retry, @Nullable Failure lastFailure) {

    static void write(RunAttempt attempt, JsonObjectWriter out) {
        out.number("number", attempt.number)
                .object("retry", attempt.retry, OptionsJson::write)
                .object("lastFailure", attempt.lastFailure, FailureJson::write);
    }

    static RunAttempt read(JsonObjectReader in) {
        return new RunAttempt(
                in.integer("number"),
                OptionsJson.readRetry(JsonObjectReader.of(in.json("retry"))),
                FailureJson.readOrNull(in.jsonOrNull("lastFailure")));
    }

    /** Returns the first attempt of the run that continues this one as new. */
    public RunAttempt ofNextRun() {
        return new RunAttempt(1, retry, null);
    }
}
