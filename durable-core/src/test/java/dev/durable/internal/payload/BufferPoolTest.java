package dev.durable.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.core.util.BufferRecycler;

class BufferPoolTest {
    private final BufferPool pool = new BufferPool();

    @Test
    void what_is_given_back_is_lent_again() {
        BufferRecycler lent = pool.acquireAndLinkPooled();
        assertThat(lent.isLinkedWithPool()).isTrue();
        lent.releaseToPool();
        assertThat(pool.acquirePooled()).isSameAs(lent);
        assertThat(pool.acquirePooled()).isNotSameAs(lent);
    }

    @Test
    void nothing_is_lent_twice_and_not_more_than_its_places_are_kept() {
        List<BufferRecycler> lent =
                Stream.generate(pool::acquirePooled).limit(40).toList();
        assertThat(different(lent)).hasSize(40);
        lent.forEach(pool::releasePooled);
        assertThat(pool.pooledCount()).isEqualTo(16);
        List<BufferRecycler> again =
                Stream.generate(pool::acquirePooled).limit(40).toList();
        assertThat(different(again)).hasSize(40);
        assertThat(again.subList(0, 16)).isSubsetOf(lent);
        assertThat(pool.pooledCount()).isZero();
        lent.forEach(pool::releasePooled);
        assertThat(pool.clear()).isTrue();
        assertThat(pool.pooledCount()).isZero();
    }

    @Test
    void no_two_threads_have_the_same() throws InterruptedException {
        Set<BufferRecycler> out = ConcurrentHashMap.newKeySet();
        List<String> faults = Collections.synchronizedList(new ArrayList<>());
        CyclicBarrier together = new CyclicBarrier(8);
        List<Thread> threads = IntStream.range(0, 8)
                .mapToObj(i -> Thread.startVirtualThread(() -> {
                    await(together);
                    for (int round = 0; round < 20_000; round++) {
                        BufferRecycler mine = pool.acquireAndLinkPooled();
                        if (!out.add(mine)) {
                            faults.add("lent twice in round " + round);
                        }
                        out.remove(mine);
                        mine.releaseToPool();
                    }
                }))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(faults).isEmpty();
        assertThat(pool.pooledCount()).isBetween(1, 16);
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static Set<BufferRecycler> different(List<BufferRecycler> all) {
        Set<BufferRecycler> different = Collections.newSetFromMap(new IdentityHashMap<>());
        different.addAll(all);
        return different;
    }
}
