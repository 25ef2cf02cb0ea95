package dev.durable.store.postgres;

import dev.durable.history.InboxMessage;
import dev.durable.store.HistoryStore;
import dev.durable.store.InboxLimit;
import dev.durable.store.NewJob;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import dev.durable.store.contract.NewRunBuilder;
import dev.durable.store.contract.Outcomes;
import dev.durable.store.contract.StepBuilder;
import dev.durable.store.contract.StepContract;
import dev.durable.store.contract.StoreFixture;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;

/**
 * A step that is alone in its commit is written by a statement of its own, and most tests of the contract write one
 * step at a time. Here each of their steps is one of several: three other runs, begun for it, make a step in the same
 * commit.
 */
@Tag("slow")
class CrowdedStepsTest extends StepContract {
    @Override
    protected StoreFixture newFixture() {
        return new Crowded();
    }

    /** A fixture whose store writes each step together with others. */
    private static final class Crowded implements StoreFixture {
        private static final String ELSEWHERE = "elsewhere";

        private final StoreFixture fixture = new PostgresFixture();
        private final UUID session = UUID.randomUUID();
        private final HistoryStore store = crowding(fixture.store());

        Crowded() {
            fixture.store().openSession(session, "others", Duration.ofSeconds(30));
        }

        private HistoryStore crowding(HistoryStore alone) {
            return (HistoryStore) Proxy.newProxyInstance(
                    HistoryStore.class.getClassLoader(), new Class<?>[] {HistoryStore.class}, (proxy, method, args) -> {
                        try {
                            if (method.getName().equals("commit")
                                    && args[0] instanceof List<?> steps
                                    && steps.size() == 1) {
                                return commit(alone, (Transition) steps.getFirst());
                            }
                            return method.invoke(alone, args);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        private List<Transition.Outcome> commit(HistoryStore alone, Transition step) {
            List<Transition> all = new ArrayList<>(List.of(step));
            IntStream.range(0, 3).forEach(n -> all.add(other(alone)));
            return alone.commit(all).subList(0, 1);
        }

        /** A step in which an activity ends and the next one begins. */
        private Transition other(HistoryStore alone) {
            Instant now = alone.now();
            NewJob.Lease first = new NewJob.Lease(UUID.randomUUID(), session);
            NewRunBuilder run = new NewRunBuilder(alone, "other-" + UUID.randomUUID())
                    .taskQueue(ELSEWHERE)
                    .schedules(job(1, now, first));
            alone.start(List.of(run.build()));
            return new StepBuilder(alone.now(), run.key(), run.fence(), 3)
                    .settles(1, first.token())
                    .schedules(job(2, now, new NewJob.Lease(UUID.randomUUID(), session)))
                    .build();
        }

        private static NewJob job(int seq, Instant at, NewJob.Lease lease) {
            return Outcomes.job(seq, at, "Others.work", ELSEWHERE, 0, lease);
        }

        @Override
        public HistoryStore store() {
            return store;
        }

        @Override
        public void advance(Duration by) {
            fixture.advance(by);
        }

        @Override
        public InboxLimit inboxLimit() {
            return fixture.inboxLimit();
        }

        @Override
        public HeldSender holdSender(RunKey run, InboxMessage message) {
            return fixture.holdSender(run, message);
        }

        @Override
        public long deadlocks() {
            return fixture.deadlocks();
        }

        @Override
        public void close() {
            fixture.close();
        }
    }
}
