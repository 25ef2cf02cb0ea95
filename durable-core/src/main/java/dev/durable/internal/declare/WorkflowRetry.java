package dev.durable.internal.declare;

import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.RetryOptionsBuilder;
import dev.durable.RetryPolicy;
import dev.durable.internal.declare.option.Option;
import dev.durable.internal.declare.option.OptionLevel;
import dev.durable.internal.declare.type.Problem;
import dev.durable.internal.declare.type.Problems;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Resolves the retry policy of a workflow: the options of a start over those of its type. */
public final class WorkflowRetry {
    private WorkflowRetry() {}

    /** Reads the policy that a type declares; null where it declares none, or one that is wrong. */
    static @Nullable RetryPolicy declared(Retry annotation, String where, Problems problems) {
        OptionLevel level = OptionReader.readRetry(annotation, where, problems);
        for (Option option : new Option[] {Option.RETRY_IF, Option.ON_EXHAUSTED, Option.MAX_WORKER_CRASHES}) {
            if (level.sets(option)) {
                problems.add(new Problem(
                        where, "has " + option.attribute() + " in the retry policy of the workflow", wayOut(option)));
            }
        }
        try {
            return level.isEmpty() ? null : severalAttempts(level.applyTo(RetryPolicy.DEFAULT));
        } catch (IllegalArgumentException e) {
            problems.add(new Problem(where, "has a wrong retry policy", e.getMessage() + ". Change one of the two"));
            return null;
        }
    }

    /**
     * Returns the policy of a start; null for one attempt.
     *
     * @param declared the policy of the type; null where it has none or is not known here
     * @param options those of the start; null where it has none
     * @throws IllegalArgumentException with what is wrong with them
     */
    public static @Nullable RetryPolicy of(
            @Nullable RetryPolicy declared, @Nullable Consumer<? super RetryOptionsBuilder> options) {
        if (options == null) {
            return declared;
        }
        RetryAtCallSite said = new RetryAtCallSite();
        options.accept(said);
        if (said.within() != null) {
            throw new IllegalArgumentException(
                    "retry has within " + said.within() + ", which is for blocks of workflow code."
                            + " Set executionTimeout, which bounds all attempts of a workflow.");
        }
        RetryPolicy policy = said.over(declared == null ? RetryPolicy.DEFAULT : declared);
        if (said.retryIf() != null || policy.retryIf() != null) {
            throw new IllegalArgumentException("retry has retryIf. " + wayOut(Option.RETRY_IF) + ".");
        }
        if (policy.onExhausted() != OnExhausted.FAIL) {
            throw new IllegalArgumentException(
                    "retry has onExhausted " + policy.onExhausted() + ". " + wayOut(Option.ON_EXHAUSTED) + ".");
        }
        return severalAttempts(policy);
    }

    private static @Nullable RetryPolicy severalAttempts(RetryPolicy policy) {
        return policy.maxAttempts() == 1 ? null : policy;
    }

    private static String wayOut(Option option) {
        return option == Option.RETRY_IF
                ? "No worker is asked whether a workflow is retried: name the exceptions in doNotRetry, or throw"
                        + " NonRetryableException"
                : option == Option.ON_EXHAUSTED
                        ? "A workflow has no job that could wait for an operator: when its attempts are used up, it has"
                                + " failed. Leave it out, or set it on the activities"
                        : "A workflow outlives its workers: it goes on from its history. Leave it out";
    }
}
