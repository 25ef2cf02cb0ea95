package dev.durable.internal.run;

import dev.durable.history.InboxMessage;
import dev.durable.history.Payload;
import dev.durable.history.StoredEvent;
import dev.durable.internal.attempt.AttemptOutcome;
import dev.durable.internal.commit.TransitionLane;
import dev.durable.store.ClaimedRun;
import dev.durable.store.NewRun;
import dev.durable.store.StartOutcome;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The messages that other parts of a process send to the actor of a run. */
public sealed interface RunMail {
    /**
     * This process has claimed the run.
     *
     * @param messages messages that wait
     * @param more whether others may wait behind them, for which there was no room
     * @param firstPage the first page of its history; null where it was not read, as an instance is cached or the
     *     database was away
     */
    record Claimed(
            ClaimedRun claim,
            List<InboxMessage> messages,
            @Nullable List<StoredEvent> firstPage,
            boolean more) implements RunMail {}

    /** A client of this process starts the run; its first turn goes into the start's commit. */
    record Start(StartRequest request, CompletableFuture<StartOutcome> answer) implements RunMail {}

    /** The outcome of the start. */
    record StartWritten(
            @Nullable StartOutcome outcome, @Nullable Throwable error, CompletableFuture<StartOutcome> answer)
            implements RunMail {}

    /** An activity of this process ended. */
    record Ended(AttemptOutcome outcome) implements RunMail {}

    /**
     * A local activity will not be run in this process, because the worker stops or the run was terminated or timed
     * out.
     */
    record LocalGivenBack() implements RunMail {}

    /** A local activity can't be run here. */
    record LocalRefused(String why) implements RunMail {}

    /** The outcome of the transition under way, with its size in bytes. */
    record Written(
            TransitionLane.@Nullable Written written,
            @Nullable Throwable error,
            long bytes) implements RunMail {}

    /** A query; its answer is empty when the instance here is not up to date and the caller must replay. */
    record Ask(String query, Payload arguments, CompletableFuture<Optional<Payload>> answer) implements RunMail {}

    /** Messages wait for a run that has an instance here. */
    record Look() implements RunMail {}

    /** The cache has no room. */
    record Evict() implements RunMail {}

    /**
     * A start whose first turn is to be run here.
     *
     * @param run the run as the store will get it, without the first turn's events and jobs
     * @param started its first event
     */
    record StartRequest(NewRun run, dev.durable.history.WorkflowStarted started) {}
}
