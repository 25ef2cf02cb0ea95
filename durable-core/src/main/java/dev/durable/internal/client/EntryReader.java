package dev.durable.internal.client;

import dev.durable.WaitTimedOutException;
import dev.durable.client.StreamEntry;
import dev.durable.client.StreamReader;
import dev.durable.internal.client.access.CallDeadline;
import dev.durable.internal.client.access.ClientWaits;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Portion;
import dev.durable.store.RunKey;
import dev.durable.store.StreamPage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.UUID;
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
    /** A reader that catches up reads smaller portions than others, as there may be very many readers. */
    private static final long PAGE_BYTES = Portion.BYTES / 16;

    private final Dispatch dispatch;
    private final RunKey chain;
    private final String stream;
    private final Function<StreamPage.Entry, StreamEntry<T>> entries;
    private final Queue<StreamPage.Entry> ahead = new ArrayDeque<>();
    /** The offset behind the entries that were read from the store. */
    private long next;

    /** The size of the stream when it was last read. */
    private long size = Long.MAX_VALUE;

    private @Nullable UUID openRun;
    private boolean ended;
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
        return hasNextBefore(null, Duration.ZERO);
    }

    @Override
    public boolean hasNext(Duration timeout) {
        Duration wait =
                timeout.isNegative() ? Duration.ZERO : timeout.compareTo(Bounds.WAIT) < 0 ? timeout : Bounds.WAIT;
        return hasNextBefore(CallDeadline.in(wait, dispatch.store().clock()::nanoTime), timeout);
    }

    private boolean hasNextBefore(@Nullable CallDeadline deadline, Duration timeout) {
        while (ahead.isEmpty() && !ended && !closed) {
            StreamPage.Question question = new StreamPage.Question(chain, stream, next, PAGE);
            take(size > next ? read(question, deadline) : await(question, deadline, timeout));
        }
        return !ahead.isEmpty() && !closed;
    }

    /** Takes the entries of a page that came. The page itself is not kept, as the next one may be long in coming. */
    private void take(@Nullable StreamPage page) {
        if (page != null) {
            ahead.addAll(page.entries());
            next = page.next();
            size = page.size();
            openRun = page.openRun();
            ended = page.isLast();
        }
    }

    private StreamPage read(StreamPage.Question question, @Nullable CallDeadline deadline) {
        Dispatch call = deadline == null ? dispatch.begun() : dispatch.begun(deadline.left());
        return RunStream.read(call, question, PAGE_BYTES);
    }

    /** Waits for a page that is more than the one before; returns null where the reader was closed meanwhile. */
    private @Nullable StreamPage await(
            StreamPage.Question question, @Nullable CallDeadline deadline, Duration timeout) {
        CompletableFuture<StreamPage> page = dispatch.entries(question, openRun);
        waiting = page;
        if (closed) {
            page.cancel(false);
        }
        try {
            return deadline == null
                    ? ClientWaits.forEver(dispatch, page)
                    : ClientWaits.atMost(
                            dispatch, page, deadline.left(), timeout, "entry " + next + " of stream " + stream);
        } catch (WaitTimedOutException e) {
            // A timeout may be shorter than the query for waiting readers, and its nudge may be lost.
            StreamPage there = read(question, deadline);
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
