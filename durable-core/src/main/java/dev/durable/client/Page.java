package dev.durable.client;

import java.util.AbstractList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a listing, and where it goes on after them:
 *
 * <pre>{@code
 * Page<WorkflowQuery.Row> page = failed.page(50);
 * while (!page.isEmpty()) {
 *     show(page);
 *     page = failed.page(50, page.next());
 * }
 * }</pre>
 *
 * <p>What is listed all the while comes once, whatever starts or ends between two pages. A page may have fewer rows than were
 * asked for although more follow, as where rows are large: only an empty page is the end. Immutable.
 *
 * @param <T> a row
 */
public final class Page<T> extends AbstractList<T> {
    private final List<T> rows;
    private final @Nullable String next;

    /** @param next where the listing goes on; null where it has not begun */
    public Page(List<T> rows, @Nullable String next) {
        this.rows = List.copyOf(rows);
        this.next = next;
    }

    /**
     * Where the listing goes on behind this page: to be handed to {@code page(size, next)} of the same listing, in this
     * process or another, now or later. A short text of letters, digits, {@code -} and {@code _}, which holds the place of the
     * last row and nothing else. Behind an empty page it is where that page began; null at the front of the listing.
     */
    public @Nullable String next() {
        return next;
    }

    @Override
    public T get(int index) {
        return rows.get(index);
    }

    @Override
    public int size() {
        return rows.size();
    }
}
