package dev.durable.internal.client.operate;

import dev.durable.client.AuditEntry;
import dev.durable.client.AuditQuery;
import dev.durable.client.Page;
import dev.durable.internal.client.access.Cursor;
import dev.durable.internal.text.Bounds;
import dev.durable.store.AuditFilter;
import dev.durable.store.Views;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Implements {@link AuditQuery} over the store. */
public final class AuditListing implements AuditQuery {
    private static final int PAGE = 500;

    private final Views store;
    private final AuditFilter filter;

    public AuditListing(Views store, AuditFilter filter) {
        this.store = store;
        this.filter = filter;
    }

    @Override
    public AuditQuery where(UnaryOperator<Filter> narrowed) {
        Narrowing builder = new Narrowing(filter);
        if (narrowed.apply(builder) != builder) {
            throw new IllegalArgumentException("where(a -> …) must return the filter it was given, narrowed:"
                    + " where(a -> a.actor(\"ann\").since(monday))");
        }
        return new AuditListing(store, builder.wanted);
    }

    @Override
    public Page<AuditEntry> page(int size) {
        return page(size, null);
    }

    @Override
    public Page<AuditEntry> page(int size, @Nullable String next) {
        AuditFilter behind = next == null ? filter : filter.after(Cursor.AUDIT.place(next));
        return Cursor.page(
                store.audit(behind, Bounds.page(size)), next, row -> Cursor.AUDIT.of(place(row)), row -> row);
    }

    @Override
    public Stream<AuditEntry> stream() {
        return Stream.iterate(
                        store.audit(filter, PAGE),
                        page -> !page.isEmpty(),
                        page -> store.audit(filter.after(place(page.getLast())), PAGE))
                .flatMap(List::stream);
    }

    private static AuditFilter.Place place(AuditEntry row) {
        return new AuditFilter.Place(row.at(), row.id());
    }

    private static final class Narrowing implements Filter {
        private AuditFilter wanted;

        Narrowing(AuditFilter wanted) {
            this.wanted = wanted;
        }

        @Override
        public Filter actor(String actor) {
            return to(wanted.actor(Bounds.known("actor", actor)));
        }

        @Override
        public Filter action(String action) {
            return to(wanted.action(Bounds.known("action", action)));
        }

        @Override
        public Filter workflowId(String workflowId) {
            return to(wanted.workflowId(Bounds.known("workflow id", workflowId)));
        }

        @Override
        public Filter since(Instant from) {
            return to(wanted.since(from));
        }

        @Override
        public Filter before(Instant time) {
            return to(wanted.before(time));
        }

        private Filter to(AuditFilter narrowed) {
            wanted = narrowed;
            return this;
        }
    }
}
