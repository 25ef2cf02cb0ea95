package dev.durable.internal.client;

import dev.durable.ActivityInfo;
import dev.durable.CallInterruptedException;
import dev.durable.DurableException;
import dev.durable.RefusedInputException;
import dev.durable.StoreUnavailableException;
import dev.durable.client.ForkOptions;
import dev.durable.client.OperationProgress;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.ClientWaits;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.Messages;
import dev.durable.internal.json.JsonObjectWriter;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.Delivery;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobOrder;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.RunChange;
import dev.durable.store.RunFilter;
import dev.durable.store.RunMove;
import dev.durable.store.RunRecord;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pages of an operation: finds its runs, and does to all of a page what a handle does to one, in a few commits. The
 * audit has a row before the first run and one behind the last.
 */
final class OperatedPages {
    private static final Logger log = LoggerFactory.getLogger(OperatedPages.class);

    private static final int BEGIN = 1;
    private static final int END = 2;

    private final Dispatch dispatch;
    private final ClientCode code;
    private final OperationOrder order;
    private final ActivityInfo job;

    /** @param job the job of the operation */
    OperatedPages(Dispatch dispatch, ClientCode code, OperationOrder order, ActivityInfo job) {
        this.dispatch = dispatch;
        this.code = code;
        this.order = order;
        this.job = job;
    }

    long nanoTime() {
        return dispatch.store().clock().nanoTime();
    }

    // ── the audit ────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Writes into the audit what is going to be done; returns the state before the first page. */
    OperationState begin() {
        audit(BEGIN, order.action(), order.details());
        return new OperationState(order.begins(), List.of());
    }

    /**
     * Writes into the audit what was done.
     *
     * @param stopped whether the operation was stopped
     * @return what was done
     */
    OperationProgress end(OperationProgress progress, boolean stopped) {
        audit(
                END,
                OperationOrder.END,
                JsonObjectWriter.object(out -> out.string("action", order.action())
                        .number("done", progress.done())
                        .number("passed", progress.passed())
                        .flag("stopped", stopped)));
        return progress;
    }

    /** Each run of the operation's job writes its own rows, each of them once. */
    private void audit(int number, String action, String details) {
        UUID id = OutgoingMessage.messageId(job.runId(), number);
        store().audit(new JobOrder.Audit(id, order.actor(), action, details), job.workflowId());
    }

    // ── finding runs ─────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Returns the page behind a run, oldest run first.
     *
     * @param after the last run of the page before; null for the first page
     */
    List<RunRecord> next(@Nullable UUID after, int size) {
        RunFilter filter = after == null ? order.filter() : order.filter().after(after);
        // Not by a replica, which may not have the runs that were started last.
        return dispatch.store().runs(filter, size);
    }

    /** Returns the runs of a page that was under way when its worker ended; those whose rows are gone are not there. */
    List<RunRecord> again(List<UUID> page) {
        return page.stream().flatMap(run -> dispatch.store().run(run).stream()).toList();
    }

    // ── a page ───────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Does what the operation does to the runs of a page; returns how many were changed or asked, now or before. */
    long apply(List<RunRecord> page) {
        List<RunRecord> runs = page.stream()
                .filter(run -> !run.run().workflowId().equals(job.workflowId()))
                .toList();
        List<RunRecord> workflows = runs.stream().filter(run -> !isJob(run)).toList();
        Endings endings = new Endings(dispatch, code, order.actor());
        return switch (order.verb()) {
            case CANCEL -> send(runs);
            case SIGNAL -> send(workflows);
            case TERMINATE ->
                change(
                        runs,
                        run -> endings.termination(run.run().workflowId(), chain(run), order.reason(), id(run), null),
                        HistoryStore::seize,
                        change -> {
                            if (change.isDone()) {
                                dispatch.seized(Objects.requireNonNull(change.run()));
                            }
                            return change.isDone();
                        });
            case PAUSE ->
                change(
                        workflows,
                        run -> endings.pausing(run.run().workflowId(), chain(run), order.reason(), id(run), null),
                        HistoryStore::pause,
                        RunChange::isFound);
            case RESUME ->
                change(
                        workflows,
                        run -> endings.resuming(run.run().workflowId(), chain(run), id(run), null),
                        HistoryStore::pause,
                        RunChange::isFound);
            case RETRY ->
                change(
                        runs,
                        run -> new RunMove(run.run().workflowId(), chain(run), null, id(run), null),
                        HistoryStore::move,
                        RunChange::isFound);
            case MOVE ->
                change(
                        workflows,
                        run -> new RunMove(run.run().workflowId(), chain(run), order.build(), id(run), null),
                        HistoryStore::move,
                        RunChange::isFound);
            case RETRY_FROM_FAILURE ->
                workflows.stream().filter(this::isRetried).count();
        };
    }

    /**
     * Retries a run from its failure; returns false where that can't be. A failed run that another follows was retried when
     * this page was tried before, as listings have no others.
     */
    private boolean isRetried(RunRecord run) {
        if (run.links().next() != null) {
            return run.isRetried();
        }
        Dispatch call = dispatch.begun();
        try {
            new FailureRetries(call, new Forks(call, code, order.actor()))
                    .retry(run, ForkOptions.defaults().reason(order.reason()), null);
            return true;
        } catch (StoreUnavailableException | CommitUnknownException | CallInterruptedException e) {
            throw e;
        } catch (RefusedInputException | DurableException e) {
            if (dispatch.store()
                    .run(run.run().runId())
                    .filter(RunRecord::isRetried)
                    .isPresent()) {
                return true; // with its parent, which stands in the same page
            }
            log.info("operation {} passes over a run: {}", job.workflowId(), e.getMessage());
            return false;
        }
    }

    /** Writes changes of runs together. */
    private interface Writer<T> {
        List<RunChange> write(HistoryStore store, List<T> requests);
    }

    /**
     * Changes runs together; those that are locked once more, each alone, which waits for the lock. Where that is held on,
     * the job of the operation fails with the reason, and is tried again with this page.
     */
    private <T> long change(
            List<RunRecord> runs, Function<RunRecord, T> request, Writer<T> writer, Predicate<RunChange> counts) {
        List<T> requests = runs.stream().map(request).toList();
        List<RunChange> changes = writer.write(store(), requests);
        long done = 0;
        for (int i = 0; i < changes.size(); i++) {
            RunChange change = changes.get(i).kind() == RunChange.Kind.LOCKED
                    ? writer.write(store(), List.of(requests.get(i))).getFirst()
                    : changes.get(i);
            done += counts.test(change) ? 1 : 0;
        }
        return done;
    }

    private HistoryStore store() {
        return dispatch.begun().store();
    }

    private static boolean isJob(RunRecord run) {
        return run.type().equals(BackgroundJob.TYPE);
    }

    private static UUID chain(RunRecord run) {
        return run.links().chainId();
    }

    /** Returns the id of what the operation writes to a run, always the same. */
    private UUID id(RunRecord run) {
        UUID source = UUID.nameUUIDFromBytes(job.workflowId().getBytes(StandardCharsets.UTF_8));
        UUID chain = chain(run);
        return OutgoingMessage.messageId(
                new UUID(
                        source.getMostSignificantBits() ^ chain.getMostSignificantBits(),
                        source.getLeastSignificantBits() ^ chain.getLeastSignificantBits()),
                1);
    }

    private Delivery message(RunRecord run) {
        UUID id = id(run);
        InboxMessage message = order.signal() != null && order.input() != null
                ? new InboxMessage(id, MessageKind.SIGNAL, order.signal(), order.input(), null, null)
                : Messages.cancellation(
                        new WorkflowCancelRequested(1, Instant.EPOCH, id, order.reason(), order.actor()));
        return new Delivery(run.run().workflowId(), chain(run), message);
    }

    /** Sends messages together, so that they share commits; returns how many runs have accepted theirs. */
    private long send(List<RunRecord> runs) {
        List<Delivery> deliveries = runs.stream().map(this::message).toList();
        List<CompletableFuture<Delivery.Outcome>> sent = new ArrayList<>();
        deliveries.forEach(delivery -> sent.add(dispatch.deliver(delivery)));
        long accepted = 0;
        for (int i = 0; i < sent.size(); i++) {
            accepted += accepts(deliveries.get(i), sent.get(i)) ? 1 : 0;
        }
        return accepted;
    }

    private boolean accepts(Delivery delivery, CompletableFuture<Delivery.Outcome> sent) {
        CompletableFuture<Delivery.Outcome> answer = sent;
        for (int attempt = 1; attempt <= Messages.TRIES_WHILE_CLOSING; attempt++) {
            switch (ClientWaits.forAnswer(dispatch, answer, "an operation on " + delivery.workflowId())) {
                case ACCEPTED -> {
                    return true;
                }
                case NOT_FOUND, INBOX_FULL, INBOX_TOO_LARGE -> {
                    return false;
                }
                case CLOSING, LOCKED -> {
                    dispatch.breathe();
                    answer = dispatch.deliver(delivery);
                }
            }
        }
        return false;
    }
}
