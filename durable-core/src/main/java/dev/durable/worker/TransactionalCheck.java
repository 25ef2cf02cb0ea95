package dev.durable.worker;

import dev.durable.RegistrationException;
import dev.durable.declare.ActivityBinding;
import dev.durable.declare.Registry;
import dev.durable.store.HistoryStore;
import java.util.List;
import java.util.Optional;

/** Refuses transactional activities on a store that can't commit them together with what they write. */
final class TransactionalCheck {
    private TransactionalCheck() {}

    static void of(Registry registry, HistoryStore store) {
        if (store.transactional().isPresent()) {
            return;
        }
        List<String> transactional = registry.activityNames().stream()
                .map(registry::activity)
                .flatMap(Optional::stream)
                .map(ActivityBinding::activity)
                .filter(activity -> activity.options().transactional())
                .map(activity -> activity.name())
                .distinct()
                .sorted()
                .toList();
        if (!transactional.isEmpty()) {
            throw new RegistrationException("Transactional activities " + transactional + ": "
                    + store.getClass().getName()
                    + " has no transactions that an activity could share, so its writes and its completion would be two"
                    + " commits. Use PostgresHistoryStore, or take transactional = true away.");
        }
    }
}
