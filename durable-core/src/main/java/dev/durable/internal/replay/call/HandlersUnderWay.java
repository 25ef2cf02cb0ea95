package dev.durable.internal.replay.call;

import dev.durable.HandlerUnfinishedPolicy;
import dev.durable.WorkflowInfo.HandledUpdate;
import dev.durable.internal.replay.coroutine.Coroutine;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the handlers of signals and updates of a run that have not returned, and those that the run ended without, for its closing
 * event.
 */
final class HandlersUnderWay {
    private static final Logger log = LoggerFactory.getLogger(HandlersUnderWay.class);

    private final TurnLog turnLog;
    private final Map<Coroutine, HandlerUnfinishedPolicy> running = new LinkedHashMap<>(4);
    private final Map<Coroutine, HandledUpdate> updates = new LinkedHashMap<>(0);
    private int late;
    private int abandoned;
    private long created;
    private long begun;

    HandlersUnderWay(TurnLog turnLog) {
        this.turnLog = turnLog;
    }

    void begin(Coroutine handler, HandlerUnfinishedPolicy policy) {
        running.put(handler, policy);
        created++;
    }

    /** Notes which update a handler is for. */
    void handles(Coroutine handler, HandledUpdate update) {
        updates.put(handler, update);
    }

    /** Returns the update whose handler the coroutine is, or is started by. */
    Optional<HandledUpdate> updateOf(Coroutine coroutine) {
        return updates.entrySet().stream()
                .filter(each -> coroutine.scope().isWithin(each.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    /** Notes that a handler runs its first line. */
    void begins() {
        begun++;
    }

    /** Returns how many handlers have begun so far. */
    long begun() {
        return begun;
    }

    /** Returns whether each handler of a message that was fed has begun. */
    boolean haveAllBegun() {
        return begun == created;
    }

    void ended(Coroutine handler) {
        running.remove(handler);
        updates.remove(handler);
    }

    /** Returns whether a handler has begun, or is about to, and has not returned. */
    boolean isAnyRunning() {
        return !running.isEmpty();
    }

    /** Returns whether the end of the run must wait for a handler. */
    boolean isAnyToWaitFor() {
        return running.containsValue(HandlerUnfinishedPolicy.WAIT);
    }

    /**
     * Cancels the handlers that have not returned, as the end of the run is fixed.
     *
     * @param but the handler that ended the run by its exception, which is left out; null where none did
     */
    void abandon(@Nullable Coroutine but) {
        forEachOther(but, (handler, policy) -> {
            abandoned++;
            if (isToBeTold(policy)) {
                turnLog.add(() -> log.warn(
                        "{} had not returned when the run ended, and was cancelled. Let run wait for its handlers:"
                                + " Durable.await(Durable::allHandlersFinished), or"
                                + " @Signal(unfinishedPolicy = HandlerUnfinishedPolicy.WAIT), which @Update has, too",
                        handler));
            }
        });
    }

    private static boolean isToBeTold(HandlerUnfinishedPolicy policy) {
        return switch (policy) {
            case WARN_AND_ABANDON, WAIT -> true;
            case ABANDON -> false;
        };
    }

    private void forEachOther(@Nullable Coroutine but, BiConsumer<Coroutine, HandlerUnfinishedPolicy> action) {
        running.forEach((handler, policy) -> {
            if (handler != but) {
                action.accept(handler, policy);
            }
        });
    }

    /** Notes a message that came after the end of the run was fixed. */
    void late(String what) {
        late++;
        turnLog.add(() -> log.warn(
                "{} came when run had ended, before the run could close: its handler runs, but run itself sees nothing"
                        + " of it any more. Counted as lateMessages in the closing event",
                what));
    }

    int lateMessages() {
        return late;
    }

    int abandonedHandlers() {
        return abandoned;
    }
}
