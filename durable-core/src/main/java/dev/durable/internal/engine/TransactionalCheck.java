package dev.durable.internal.engine;

import dev.durable.internal.declare.ActivityMethod;
import dev.durable.internal.declare.Declarations;
import dev.durable.store.HistoryStore;
import java.util.List;

/**
 * Refuses, at the start of an engine, transactional activities on a store that can't commit them together with the
 * writes of their bodies.
 */
final class TransactionalCheck {
    private TransactionalCheck() {}

    static List<String> problems(Declarations declared, HistoryStore store) {
        if (store.transactional().isPresent()) {
            return List.of();
        }
        List<String> transactional = declared.implemented().stream()
                .filter(activity -> activity.options().transactional())
                .map(ActivityMethod::name)
                .distinct()
                .sorted()
                .toList();
        return transactional.isEmpty()
                ? List.of()
                : List.of("Transactional activities " + transactional + ": "
                        + store.getClass().getName()
                        + " has no transactions that an activity could share, so its writes and its completion would be two"
                        + " commits. Use PostgresHistoryStore, or take transactional = true away.");
    }
}
