package dev.durable.internal.payload;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.util.BufferRecycler;
import tools.jackson.core.util.RecyclerPool;

/**
 * A pool of Jackson's buffers, shared by all threads, with a few places of which each thread tries its own first.
 * Jackson's own pools don't fit: one keeps buffers by thread, and a virtual thread is gone before it reads twice; the
 * others are queues, where all threads meet at one end and each lending makes a node.
 */
final class BufferPool implements RecyclerPool<BufferRecycler> {
    private static final long serialVersionUID = 1;

    /** A power of two; more than so many are not kept. */
    private static final int PLACES = 16;

    private final transient AtomicReferenceArray<@Nullable BufferRecycler> places = new AtomicReferenceArray<>(PLACES);

    @Override
    public BufferRecycler acquirePooled() {
        int first = firstPlace();
        for (int i = 0; i < PLACES; i++) {
            int place = first + i & PLACES - 1;
            if (places.getPlain(place) != null) {
                BufferRecycler taken = places.getAndSet(place, null);
                if (taken != null) {
                    return taken;
                }
            }
        }
        return new BufferRecycler();
    }

    @Override
    public void releasePooled(BufferRecycler lent) {
        int first = firstPlace();
        for (int i = 0; i < PLACES; i++) {
            int place = first + i & PLACES - 1;
            if (places.getPlain(place) == null && places.compareAndSet(place, null, lent)) {
                return;
            }
        }
    }

    private static int firstPlace() {
        return (int) Thread.currentThread().threadId() & PLACES - 1;
    }

    @Override
    public int pooledCount() {
        int count = 0;
        for (int i = 0; i < PLACES; i++) {
            count += places.get(i) == null ? 0 : 1;
        }
        return count;
    }

    @Override
    public boolean clear() {
        for (int i = 0; i < PLACES; i++) {
            places.set(i, null);
        }
        return true;
    }

    /** Read from a stream it is a new one. */
    private Object readResolve() {
        return new BufferPool();
    }
}
