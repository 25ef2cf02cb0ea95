package dev.durable.store;

import java.util.Collection;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Sends and receives nudges: notifications, within the process and between processes, that something became due; they
 * may be lost. Lossy by contract: polling alone is correct. Never sent inside a transaction. A store sends them by
 * itself after its commits, for what they made due or closed: only it knows the queue of a signalled run.
 */
public interface Nudges {
    /** Sends nudges to all listeners, here and in other processes, without waiting for them. */
    void send(Collection<? extends Nudge> nudges);

    /** Listens until the returned handle is closed; the listener must be quick and must not throw. */
    AutoCloseable listen(Consumer<Nudge> listener);

    /**
     * Whether nudges of other processes arrive just now, as far as this process can know: then idle loops look less
     * often.
     * False wherever that is not proved.
     */
    default boolean heard() {
        return false;
    }

    /**
     * Why nudges of other processes don't arrive though they should, where that has been so for a minute; in words. Nothing is
     * lost meanwhile: everything is found by polling.
     */
    default Optional<String> trouble() {
        return Optional.empty();
    }

    /** One nudge. */
    sealed interface Nudge {}

    /** Due runs wait in this task queue. */
    record RunsDue(String taskQueue) implements Nudge {}

    /** Ready jobs wait in this task queue. */
    record JobsReady(String taskQueue) implements Nudge {}

    /** Pauses or limits of queues were changed. */
    record RulesChanged() implements Nudge {}

    /** This run has closed, so waiting clients can read its result. */
    record RunClosed(UUID runId) implements Nudge {}

    /** A job has become a dead letter or an incident: an alert may be due. */
    record JobBuried() implements Nudge {}

    /** Messages wait in the outbox. */
    record OutboxFilled() implements Nudge {}

    /**
     * Messages will wait in the outbox when a transaction commits that somebody holds by hand; nobody will tell. For the
     * process that wrote them only.
     */
    record OutboxAwaited() implements Nudge {}

    /**
     * From here on nudges of other processes arrive. What they sent before is lost, at the beginning or while the
     * connection
     * was: now is the time to look everywhere. For this process only.
     */
    record HearingBegins() implements Nudge {}
}
