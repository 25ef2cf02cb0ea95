package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Query;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.TypeRef;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.MDC;

/** A body finds its thread as the first body found it, whatever state other bodies have left there. */
@Timeout(60)
class ThreadOfBodiesTest {
    private static final String TENANT = "tenant";

    @Activity(startToClose = "30s")
    interface Bodies {
        String look();

        void dirty();

        @Activity(local = true, startToClose = "30s", retry = @Retry(maxAttempts = 1))
        void dirtyLocally();

        @Activity(transactional = true, startToClose = "30s")
        void dirtyInTransaction();

        @Activity(local = true, startToClose = "30s")
        String lookLocally();
    }

    @SuppressWarnings("ReferenceEquality") // whether it is the handler that each thread has by itself
    private static String seen() {
        Thread thread = Thread.currentThread();
        return String.join(
                ", ",
                thread.getName().replaceFirst("\\d+$", "n"),
                "priority " + thread.getPriority(),
                "loader " + thread.getContextClassLoader(),
                "interrupted " + thread.isInterrupted(),
                "handler " + (thread.getUncaughtExceptionHandler() == thread.getThreadGroup()),
                "mdc " + MDC.get(TENANT));
    }

    @SuppressWarnings("ThreadPriorityCheck") // what a body may do
    private static void dirtyThread() {
        Thread thread = Thread.currentThread();
        MDC.put(TENANT, "acme");
        thread.setName("mine");
        thread.setPriority(Thread.MAX_PRIORITY);
        thread.setContextClassLoader(new URLClassLoader(new URL[0]));
        thread.setUncaughtExceptionHandler((t, e) -> {});
        thread.interrupt();
    }

    static final class OnOneThread implements Bodies {
        @Override
        public String look() {
            return seen();
        }

        @Override
        public void dirty() {
            dirtyThread();
        }

        @Override
        public void dirtyLocally() {
            dirtyThread();
            throw new IllegalStateException("a failure leaves no more than a result");
        }

        @Override
        public void dirtyInTransaction() {
            dirtyThread();
        }

        @Override
        public String lookLocally() {
            return seen();
        }
    }

    @Workflow
    static class Looks {
        private final Bodies bodies;

        Looks(Bodies bodies) {
            this.bodies = bodies;
        }

        @Run
        List<String> run(String how) {
            String before = bodies.look();
            switch (how) {
                case "plain" -> bodies.dirty();
                case "transactional" -> bodies.dirtyInTransaction();
                default -> {
                    try {
                        bodies.dirtyLocally();
                    } catch (RuntimeException e) {
                        return List.of(before, bodies.lookLocally(), bodies.look());
                    }
                }
            }
            return List.of(before, bodies.lookLocally(), bodies.look());
        }

        @Query
        String asked() {
            MDC.put(TENANT, "acme");
            Thread.currentThread().setContextClassLoader(null);
            Thread.currentThread().setName("mine");
            return "answer";
        }
    }

    private final DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
            .register(Looks.class)
            .activity(Bodies.class, new OnOneThread())
            .queue("default", q -> q.slots(1))
            .start();

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void what_a_body_leaves_on_its_thread_is_not_there_for_the_next_one() {
        for (String how : List.of("plain", "local", "transactional")) {
            List<String> seen =
                    engine.client().start(Looks.class, how, l -> l.run(how)).resultAs(new TypeRef<List<String>>() {});
            assertThat(seen).as(how).hasSize(3).containsOnly(seen.getFirst());
            assertThat(seen.getFirst())
                    .startsWith("durable-activity-default-n, priority 5, ")
                    .endsWith("interrupted false, handler true, mdc null");
        }
    }

    @Test
    void a_query_leaves_the_threads_of_engine_and_caller_as_they_were() {
        WorkflowHandle<Looks, List<String>> run = engine.client().start(Looks.class, "asked", l -> l.run("plain"));
        run.result();
        Map<String, String> mdc = MDC.getCopyOfContextMap();
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        String name = Thread.currentThread().getName();
        // The run is closed: it is replayed on this thread.
        assertThat(run.query(Looks::asked)).isEqualTo("answer");
        assertThat(Thread.currentThread().getName()).isEqualTo(name);
        assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(loader);
        assertThat(MDC.getCopyOfContextMap() == null ? Map.of() : MDC.getCopyOfContextMap())
                .isEqualTo(mdc == null ? Map.of() : mdc);
    }
}
