package dev.durable.store.memory;

import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** Tracks the bytes that are left of a {@linkplain dev.durable.internal.text.Portion portion} while it is filled. */
final class Room {
    private long left;

    Room(long bytes) {
        left = bytes;
    }

    List<InboxMessage> messages(List<InboxMessage> waiting) {
        return first(waiting, message -> message.payload().length());
    }

    List<StoredEvent> events(List<StoredEvent> history) {
        return first(history, event -> event.attributes().length());
    }

    <T> List<T> first(List<T> all, ToLongFunction<T> size) {
        List<T> fits = new ArrayList<>();
        for (T one : all) {
            if (left <= 0) {
                break;
            }
            fits.add(one);
            left -= size.applyAsLong(one);
        }
        return List.copyOf(fits);
    }
}
