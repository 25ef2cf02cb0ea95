package dev.durable.internal.replay.coroutine;

import static dev.durable.Durable.async;
import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.internal.replay.GivenRun;
import dev.durable.internal.replay.WorkflowInstance;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Ending a run in this process without an effect on anything outside its coroutines. */
class EvictionTest {

    @Test
    void no_thread_is_left() throws InterruptedException {
        List<Thread> threads = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 200; i++) {
            GivenRun run = GivenRun.of(w -> {
                threads.add(Thread.currentThread());
                for (int c = 0; c < 4; c++) {
                    async(() -> {
                        threads.add(Thread.currentThread());
                        return w.acts.a("x");
                    });
                }
                async(w.acts::a, "y").then(value -> value);
                Durable.await(() -> w.has("never"));
                return "";
            });
            run.close();
        }
        assertThat(threads).hasSize(200 * 2 * 5);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void every_call_of_a_dying_coroutine_ends_it_again_and_commands_nothing() {
        List<String> said = new CopyOnWriteArrayList<>();
        GivenRun run = GivenRun.of(w -> {
            Promise<String> other = async(w.acts::a, "other");
            try {
                return w.acts.a("x");
            } catch (Throwable first) {
                said.add("" + (first == Eviction.INSTANCE));
                try {
                    other.get();
                } catch (Throwable second) {
                    said.add("" + (second == Eviction.INSTANCE));
                }
                return w.acts.a("undo");
            } finally {
                said.add("finally");
                Durable.now();
                said.add("never");
            }
        });
        assertThat(said).as("the replay's").containsExactly("true", "true", "finally");
        run.instance().evict();
        run.instance().evict();
        assertThat(said).containsExactly("true", "true", "finally", "true", "true", "finally");
    }

    @Test
    void a_coroutine_that_will_not_die_does_not_keep_the_others() {
        List<String> ended = new CopyOnWriteArrayList<>();
        GivenRun run = GivenRun.of(w -> {
            async(() -> {
                while (true) {
                    try {
                        w.acts.a("x");
                    } catch (Throwable swallowed) {
                        // for ever
                    }
                }
            });
            async(() -> {
                try {
                    return w.acts.a("y");
                } finally {
                    ended.add("y");
                }
            });
            try {
                return w.acts.a("z");
            } finally {
                ended.add("z");
            }
        });
        ended.clear();
        run.instance().evict();
        assertThat(ended).containsExactlyInAnyOrder("y", "z");
    }

    @Test
    void an_instance_that_was_never_fed_can_be_evicted() {
        GivenRun run = GivenRun.of(w -> "");
        WorkflowInstance fresh = run.instance(true);
        fresh.evict();
        run.close();
        run.close();
    }
}
