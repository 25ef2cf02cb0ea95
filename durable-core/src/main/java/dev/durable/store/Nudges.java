package dev.durable.store;

import java.util.Collection;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Sends and receives nudges: notifications, within the process and between processes, that something became due; they
 * may be lost. Polling alone finds the same, later. Nudges are never sent inside a transaction. A store sends them by
 * itself after its commits, for the runs and jobs that these made due or closed, as only the store knows the queue of a
 * signalled run.
 */
public interface Nudges {
    /** Sends nudges to all listeners, here and in other processes, without waiting for them. */
    void send(Collection<? extends Nudge> nudges);

    /** Listens until the returned handle is closed; the listener must be quick and must not throw. */
    AutoCloseable listen(Consumer<Nudge> listener);

    /**
     * Returns whether nudges of other processes arrive just now, as far as this process can know: then idle loops poll
     * less often. False wherever that is not proved.
     */
    default boolean heard() {
        return false;
    }

    /**
     * The reason, in words, why nudges of other processes don't arrive though they should, if that has been so for a
     * minute. No work is lost meanwhile: polling finds it.
     */
    default Optional<String> trouble() {
        return Optional.empty();
    }

    sealed interface Nudge {}

    /** Due runs wait in this task queue. */
    record RunsDue(String taskQueue) implements Nudge {}

    /** Ready jobs wait in this task queue. */
    record JobsReady(String taskQueue) implements Nudge {}

    /** Pauses or limits of queues were changed. */
    record RulesChanged() implements Nudge {}

    /** This run has closed, so waiting clients can read its result. */
    record RunClosed(UUID runId) implements Nudge {}

    /** A run of this chain has accepted or answered an update, so waiting callers can read its state. */
    record UpdateAnswered(UUID chainId) implements Nudge {}

    /** Entries were appended to a stream of this chain, so waiting readers can read them. */
    record StreamWritten(UUID chainId) implements Nudge {}

    /** A job has become a dead letter or an incident: an alert may be due. */
    record JobBuried() implements Nudge {}

    /** Messages wait in the outbox. */
    record OutboxFilled() implements Nudge {}

    /**
     * Messages will wait in the outbox when a transaction commits that the application holds by hand; no nudge is sent
     * at that commit. Only the process that wrote the messages gets this nudge.
     */
    record OutboxAwaited() implements Nudge {}

    /**
     * From now on nudges of other processes arrive. Those sent before the process listened, or while its connection was
     * lost, are missing: all loops should poll now. Only this process gets this nudge.
     */
    record HearingBegins() implements Nudge {}
}
