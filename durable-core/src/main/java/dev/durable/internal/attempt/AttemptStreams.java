package dev.durable.internal.attempt;

import dev.durable.ActivityStream;
import dev.durable.CancelledException;
import dev.durable.DurableException;
import dev.durable.StreamFullException;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewEntry;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The streams to which one attempt appends. The entries of a stream are sent one at a time, each with its number under
 * the lease: the store recognises by it an entry that is sent again, and no entry passes another.
 */
final class AttemptStreams {
    private final ClaimedJob job;
    private final AttemptServices host;
    private final Cancellation cancellation;
    private final Runnable alive;
    private final Consumer<JobUpdate.Outcome> heard;
    private final Map<String, Appends> byName = new ConcurrentHashMap<>();
    /** The threads of the body that wait for the store. */
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * @param alive notes a sign of life of the body
     * @param heard gets the answers of the store, which may say that the attempt is stale or to be cancelled
     */
    AttemptStreams(
            ClaimedJob job,
            AttemptServices host,
            Cancellation cancellation,
            Runnable alive,
            Consumer<JobUpdate.Outcome> heard) {
        this.job = job;
        this.host = host;
        this.cancellation = cancellation;
        this.alive = alive;
        this.heard = heard;
    }

    /** Returns the stream for values of a type. */
    <T extends @Nullable Object> ActivityStream<T> stream(String name, Type type) {
        if (host.reports().local()) {
            throw new IllegalStateException("stream(\"" + name + "\", …) in local activity " + job.activity()
                    + ": a local activity has no job whose lease could guard what it appends. Take local = true away, or"
                    + " return the values and let the workflow append them: Durable.stream(…).");
        }
        Bounds.name("stream(…): the stream", name);
        return new Typed<>(byName.computeIfAbsent(name, Appends::new), type);
    }

    /** Returns whether the body waits for the store, and can't give another sign of life. */
    boolean appendWaits() {
        return waiting.get() > 0;
    }

    /** The entries that the attempt appends to one stream. */
    private final class Appends {
        private final String name;
        private final ReentrantLock turn = new ReentrantLock();
        private long number;
        /** The answer that a thread was interrupted to wait for. */
        private @Nullable CompletableFuture<JobUpdate.Outcome> unheard;

        Appends(String name) {
            this.name = name;
        }

        void append(String value) {
            try {
                turn.lockInterruptibly();
            } catch (InterruptedException e) {
                throw interrupted("before an entry of stream " + name + " of " + job.activity() + " was sent", e);
            }
            try {
                if (unheard != null) {
                    hear(unheard);
                }
                hear(send(value));
            } finally {
                turn.unlock();
            }
        }

        private CancelledException interrupted(String when, InterruptedException e) {
            Thread.currentThread().interrupt();
            cancellation.check();
            return new CancelledException("interrupted " + when, e);
        }

        private CompletableFuture<JobUpdate.Outcome> send(String value) {
            CompletableFuture<JobUpdate.Outcome> answer = new CompletableFuture<>();
            host.reports()
                    .tell(
                            new JobUpdate.Append(
                                    job.key(), job.lease(), job.attempt(), number, new NewEntry(name, value)),
                            (outcome, error) -> {
                                if (error != null) {
                                    answer.completeExceptionally(error);
                                } else {
                                    answer.complete(outcome);
                                }
                            });
            return answer;
        }

        /** Waits for the answer, without which no other entry may be sent. */
        private void hear(CompletableFuture<JobUpdate.Outcome> answer) {
            unheard = answer;
            JobUpdate.Outcome outcome;
            waiting.incrementAndGet();
            try {
                outcome = host.surroundings().waiting().await(answer);
            } catch (InterruptedException e) {
                throw interrupted(
                        "while an entry of stream " + name + " of " + job.activity()
                                + " was being stored; it may be durable",
                        e);
            } catch (ExecutionException e) {
                unheard = null;
                throw new DurableException(
                        "the store refused an entry of stream " + name + " of " + job.activity() + ": "
                                + Thrown.of(Objects.requireNonNullElse(e.getCause(), e))
                                        .text(),
                        e);
            } finally {
                waiting.decrementAndGet();
            }
            unheard = null;
            heard.accept(outcome);
            switch (outcome) {
                case ACCEPTED, CANCEL_REQUESTED, DUPLICATE -> number++;
                case FULL ->
                    throw new StreamFullException("stream " + name + " takes no more entries of activities: it has "
                            + Bounds.STREAM_ENTRIES + " entries or " + (Bounds.STREAM_BYTES >> 20)
                            + " MiB. Usual cause: one stream for all there is, or for a chain that never ends. Use a"
                            + " stream for each part, or append less: several values in one entry, or a link to what is"
                            + " large.");
                case STALE, LOCKED -> {}
            }
        }
    }

    private final class Typed<T extends @Nullable Object> implements ActivityStream<T> {
        private final Appends appends;
        private final Type type;

        Typed(Appends appends, Type type) {
            this.appends = appends;
            this.type = type;
        }

        @Override
        public String name() {
            return appends.name;
        }

        @Override
        public void append(T value) {
            cancellation.checkStale();
            alive.run();
            appends.append(host.code()
                    .payloads()
                    .encode(value, type, "an entry of stream " + appends.name + " of " + job.activity())
                    .json());
            alive.run();
            cancellation.check();
        }

        @Override
        public long appendedBefore() {
            cancellation.checkStale();
            return host.reports().appendedBefore(job.key(), job.lease(), appends.name);
        }

        @Override
        public String toString() {
            return "ActivityStream[" + appends.name + " of " + job.activity() + "]";
        }
    }
}
