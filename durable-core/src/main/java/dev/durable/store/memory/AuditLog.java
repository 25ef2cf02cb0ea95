package dev.durable.store.memory;

import dev.durable.client.AuditEntry;
import dev.durable.store.AuditFilter;
import dev.durable.store.RunIds;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The audit of the in-memory store: the actions of operators, the latest first. */
final class AuditLog {
    private static final Comparator<AuditEntry> LATEST_FIRST = Comparator.comparing(AuditEntry::at)
            .thenComparing(AuditEntry::id, RunIds.ORDER)
            .reversed();

    private final NavigableSet<AuditEntry> rows = new TreeSet<>(LATEST_FIRST);
    private final Set<UUID> ids = new HashSet<>();

    boolean contains(UUID id) {
        return ids.contains(id);
    }

    void add(AuditEntry row) {
        if (ids.add(row.id())) {
            rows.add(row);
        }
    }

    List<AuditEntry> page(AuditFilter filter, int limit) {
        return behind(filter.after()).stream()
                .filter(filter::matches)
                .limit(limit)
                .toList();
    }

    private NavigableSet<AuditEntry> behind(AuditFilter.@Nullable Place place) {
        return place == null ? rows : rows.tailSet(new AuditEntry(place.id(), place.at(), "", "", "", ""), false);
    }
}
