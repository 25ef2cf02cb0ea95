package dev.durable.internal.upkeep;

import dev.durable.internal.drive.BatchChore;
import dev.durable.store.HistoryStore;
import java.time.Duration;

/** A chore that deletes old answers to updates: an update id is answered again for as long as its answer is kept. */
public record ReplyRetention(HistoryStore store) implements BatchChore.Work {
    /** How long the answer to an update is kept. */
    public static final Duration KEPT = Duration.ofDays(1);

    public static final Duration INTERVAL = Duration.ofMinutes(10);

    @Override
    public int upTo(int most) {
        return store.purgeReplies(KEPT, most);
    }
}
