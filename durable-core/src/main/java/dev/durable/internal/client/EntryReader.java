package dev.durable.internal.client;

import dev.durable.WaitTimedOutException;
import dev.durable.client.StreamEntry;
import dev.durable.client.StreamReader;
import dev.durable.internal.client.access.ClientWaits;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.store.RunKey;
import dev.durable.store.StreamPage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Implements {@link StreamReader}. A page that is known to be there is read at once; for one that is still to come the
 * reader waits together with all others of the process.
 */
final class EntryReader<T extends @Nullable Object> implements StreamReader<T> {
    private static final int PAGE = 500;

    private final Dispatch dispatch;
    private final RunKey chain;
    private final String stream;
    private final Function<StreamPage.Entry, StreamEntry<T>> entries;
    private final Queue<StreamPage.Entry> ahead = new ArrayDeque<>();
    /** The offset behind the entries that were read from the store. */
    private long next;

    private @Nullable StreamPage last;
    private volatile @Nullable CompletableFuture<StreamPage> waiting;
    private volatile boolean closed;

    /** @param entries converts an entry of the store */
    EntryReader(
            Dispatch dispatch,
            RunKey chain,
            String stream,
            Function<StreamPage.Entry, StreamEntry<T>> entries,
            long offset) {
        this.dispatch = dispatch;
        this.chain = chain;
        this.stream = stream;
        this.entries = entries;
        this.next = offset;
    }

    @Override
    public boolean hasNext() {
        return hasNextWithin(null);
    }

    @Override
    public boolean hasNext(Duration timeout) {
        return hasNextWithin(timeout);
    }

    private boolean hasNextWithin(@Nullable Duration timeout) {
        StreamPage before = last;
        if (ahead.isEmpty() && !closed && (before == null || !before.isLast())) {
            StreamPage.Question question = new StreamPage.Question(chain, stream, next, PAGE);
            StreamPage page = before == null || before.size() > next
                    ? RunStream.read(timeout == null ? dispatch.begun() : dispatch.begun(timeout), question)
                    : await(question, before, timeout);
            if (page != null) {
                taken(page);
                return hasNextWithin(timeout);
            }
        }
        return !ahead.isEmpty() && !closed;
    }

    private void taken(StreamPage page) {
        ahead.addAll(page.entries());
        next = page.next();
        last = page;
    }

    /** Waits for a page that is more than the one before; returns null where the reader was closed meanwhile. */
    private @Nullable StreamPage await(StreamPage.Question question, StreamPage before, @Nullable Duration timeout) {
        CompletableFuture<StreamPage> page = dispatch.entries(question, before.openRun());
        waiting = page;
        if (closed) {
            page.cancel(false);
        }
        try {
            return timeout == null
                    ? ClientWaits.forEver(dispatch, page)
                    : ClientWaits.atMost(dispatch, page, timeout, "entry " + next + " of stream " + stream);
        } catch (WaitTimedOutException e) {
            // A timeout may be shorter than the query of those who wait, and its nudge may be lost.
            StreamPage there = RunStream.read(dispatch.begun(), question);
            if (there.entries().isEmpty() && !there.isLast()) {
                throw e;
            }
            return there;
        } catch (CancellationException e) {
            return null;
        } finally {
            waiting = null;
        }
    }

    @Override
    public StreamEntry<T> next() {
        if (!hasNext()) {
            throw new NoSuchElementException("stream " + stream + " has no entry " + next
                    + (closed ? ": the reader is closed" : ", as the workflow has ended"));
        }
        return entries.apply(ahead.remove());
    }

    @Override
    public long offset() {
        StreamPage.Entry entry = ahead.peek();
        return entry == null ? next : entry.offset();
    }

    @Override
    public void close() {
        closed = true;
        CompletableFuture<StreamPage> wait = waiting;
        if (wait != null) {
            wait.cancel(false);
        }
    }
}
