package dev.durable.store.memory;

import dev.durable.store.Delivery;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.Relayed;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The messages that runs have sent to other runs and that are not delivered yet, in the order of their commits. */
final class Outbox {
    private static final Logger log = LoggerFactory.getLogger(Outbox.class);

    private final List<Row> waiting = new ArrayList<>();

    /**
     * A message that waits.
     *
     * @param from the workflow id of the run that has sent it
     */
    private record Row(OutgoingMessage sent, String from, Instant at) {}

    void add(OutgoingMessage sent, String from, Instant now) {
        waiting.add(new Row(sent, from, now));
    }

    /** The time at which the oldest message was written; empty if none waits. */
    Optional<Instant> since() {
        return waiting.stream().map(Row::at).findFirst();
    }

    /** Delivers messages in their order. One that its target can't take stays, with all later ones to that target. */
    Relayed relay(int limit, Deliveries deliveries) {
        Set<String> stuck = new HashSet<>();
        int gone = 0;
        Iterator<Row> rows = waiting.iterator();
        while (rows.hasNext() && gone < limit) {
            Row row = rows.next();
            String target = row.sent.target();
            if (stuck.contains(target)) {
                continue;
            }
            switch (deliveries.deliver(new Delivery(target, null, row.sent.message()))) {
                case ACCEPTED -> {
                    rows.remove();
                    gone++;
                }
                case NOT_FOUND -> {
                    log.warn(OutgoingMessage.dropped(
                            row.sent.message().kind(),
                            row.sent.message().name(),
                            row.from,
                            target,
                            "there was no open run to take it"));
                    rows.remove();
                    gone++;
                }
                case CLOSING, INBOX_FULL, INBOX_TOO_LARGE, LOCKED -> stuck.add(target);
            }
        }
        return new Relayed(gone, 0, 0, gone == limit);
    }
}
