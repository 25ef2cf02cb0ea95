package dev.durable.internal.replay.call;

import dev.durable.Callback;
import dev.durable.Promise;
import dev.durable.UsageException;
import dev.durable.history.CallbackOpened;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.store.CallbackToken;
import dev.durable.store.RunKey;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Implements {@code Durable.callback}. */
final class CallbackCalls {
    private static final UUID UNKNOWN = new UUID(0, 0);

    private final RunKey run;
    private final WaitCalls waiting;
    private final CurrentTurn journal;
    private final OpenCallbacks open;
    private final Supplier<UUID> ids;
    private long last;

    /** @param ids gives ids that can't be guessed; asked for turns that are new */
    CallbackCalls(RunKey run, WaitCalls waiting, CurrentTurn journal, OpenCallbacks open, Supplier<UUID> ids) {
        this.run = run;
        this.waiting = waiting;
        this.journal = journal;
        this.open = open;
        this.ids = ids;
    }

    @SuppressWarnings("ConstantValue") // callers without null checks may pass null
    <T extends @Nullable Object> Callback<T> open(Type type, Duration timeout) {
        Coroutine by = waiting.mayCommand("Durable.callback");
        if (type == null || timeout == null || WaitCalls.isNoWait(timeout)) {
            throw new UsageException(
                    "Durable.callback opened nothing: it was given " + type + " as the type of the result"
                            + " and " + timeout
                            + " as the time in which it is to come. Give both, and a time above zero: nobody"
                            + " could complete the callback before it is over.");
        }
        long number = ++last;
        boolean live = journal.isLive();
        UUID id = live ? ids.get() : recordedId();
        CallbackOpened opened = journal.put(
                (eventId, at) -> new CallbackOpened(eventId, at, number, live ? CallbackToken.idAt(eventId, id) : id));
        OpenCallback callback = new OpenCallback(opened, type, timeout, open, by);
        open.add(callback);
        return new Handle<>(callback, new CallbackToken(run, callback.id).text());
    }

    private UUID recordedId() {
        return journal.expected() instanceof CallbackOpened recorded ? recorded.callback() : UNKNOWN;
    }

    private record Handle<T extends @Nullable Object>(OpenCallback callback, String token) implements Callback<T> {
        @Override
        @SuppressWarnings("unchecked") // the outcome is decoded as a T
        public Promise<T> promise() {
            return (Promise<T>) callback.promise;
        }

        @Override
        public String toString() {
            return "Callback[" + callback + "]";
        }
    }
}
