package dev.durable.internal.client.operate;

import dev.durable.DurableException;
import dev.durable.client.BoundedCount;
import dev.durable.client.Page;
import dev.durable.internal.client.access.CallDeadline;
import dev.durable.internal.client.access.Cursor;
import dev.durable.internal.client.access.Listing;
import dev.durable.internal.text.Portion;
import dev.durable.store.JobFilter;
import dev.durable.store.JobOrder;
import dev.durable.store.JobOrder.Outcome;
import dev.durable.store.OpenJob;
import dev.durable.store.Views;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the jobs of a filter page by page, in the order of their keys, which no operator's order changes. An order for
 * all of them takes one read and one commit a page; only jobs that have changed meanwhile, or are locked, are read
 * again one by one.
 */
final class JobPages {
    static final int SIZE = 200;
    /** The most characters of one commit, roughly: values that operators give may be large, and each job gets them. */
    private static final int MAX_CHARS = 4 * 1024 * 1024;

    private final Operations operations;
    private final JobFilter filter;
    /**
     * The deadline of all waits for locked jobs together, which have the time of one call; null before the first of
     * them.
     */
    private @Nullable CallDeadline giveUp;

    JobPages(Operations operations, JobFilter filter) {
        this.operations = operations;
        this.filter = filter;
    }

    /** Returns the page behind a cursor. */
    <T> Page<T> page(int size, @Nullable String next, Function<OpenJob, T> row) {
        JobFilter behind = next == null ? filter : filter.after(Cursor.JOBS.job(next));
        return Cursor.page(operations.store().views().jobs(behind, size), next, job -> Cursor.JOBS.of(job.key()), row);
    }

    Stream<OpenJob> stream() {
        return pages(operations.store().views()).flatMap(List::stream);
    }

    long count() {
        return operations.store().views().count(filter);
    }

    BoundedCount count(long bound) {
        return Listing.upTo(bound, limit -> operations.store().count(filter, limit));
    }

    /**
     * Gives the order to each job; returns how many jobs it changed.
     *
     * @throws dev.durable.PayloadException when some jobs can't have the order's value; all others have got their order
     *     then
     * @throws DurableException when some jobs stayed locked; all others have got their order then
     */
    long order(Function<OpenJob, ? extends @Nullable JobOrder> decide) {
        giveUp = null;
        operations.store().refuseIfForeign();
        UnreachedJobs left = new UnreachedJobs();
        long done = pages(operations.store())
                .mapToLong(page -> order(page, decide, left))
                .sum();
        left.check(done);
        return done;
    }

    private long order(List<OpenJob> page, Function<OpenJob, ? extends @Nullable JobOrder> decide, UnreachedJobs left) {
        List<OpenJob> jobs = new ArrayList<>();
        List<JobOrder> orders = new ArrayList<>();
        for (OpenJob job : page) {
            JobOrder order = left.decided(job, decide);
            if (order != null) {
                orders.add(order);
                jobs.add(job);
            }
        }
        List<Outcome> outcomes = send(orders);
        long done = 0;
        for (int i = 0; i < jobs.size(); i++) {
            Outcome outcome = again(jobs.get(i), outcomes.get(i), decide);
            if (Operations.isDone(outcome)) {
                done++;
            } else if (outcome == Outcome.LOCKED) {
                left.locked(jobs.get(i));
            }
        }
        return done;
    }

    private List<Outcome> send(List<JobOrder> orders) {
        List<Outcome> outcomes = new ArrayList<>();
        int sent = 0;
        long chars = 0;
        for (int i = 0; i < orders.size(); i++) {
            chars += chars(orders.get(i));
            if (chars > MAX_CHARS && i > sent) {
                outcomes.addAll(operations.send(orders.subList(sent, i)));
                sent = i;
                chars = chars(orders.get(i));
            }
        }
        if (sent < orders.size()) {
            outcomes.addAll(operations.send(orders.subList(sent, orders.size())));
        }
        return outcomes;
    }

    private static long chars(JobOrder order) {
        String note = order.trace().note();
        String value =
                switch (order) {
                    case JobOrder.Revive revive -> revive.input();
                    case JobOrder.End end -> end.outcome().payload();
                    case JobOrder.Cancel cancel -> cancel.request().payload();
                    case JobOrder.RetryNow ignored -> null;
                    case JobOrder.Reschedule ignored -> null;
                    case JobOrder.Pause ignored -> null;
                    case JobOrder.Resume ignored -> null;
                    case JobOrder.UpdateTimeout ignored -> null;
                    case JobOrder.UpdateOptions ignored -> null;
                    case JobOrder.Bury ignored -> null;
                    case JobOrder.GiveBack ignored -> null;
                    case JobOrder.Beat ignored -> null;
                };
        return (note == null ? 0L : note.length()) + (value == null ? 0 : value.length());
    }

    private Outcome again(OpenJob job, Outcome outcome, Function<OpenJob, ? extends @Nullable JobOrder> decide) {
        return switch (outcome) {
            case LOCKED -> isTooLate() ? outcome : alone(job, decide);
            case CHANGED -> alone(job, decide);
            case APPLIED, UNCHANGED, REFUSED, NOT_FOUND, DUPLICATE -> outcome;
        };
    }

    private Outcome alone(OpenJob job, Function<OpenJob, ? extends @Nullable JobOrder> decide) {
        return operations.tryOut(filter.only(job.key()), found -> found == null ? null : decide.apply(found), 3);
    }

    private boolean isTooLate() {
        if (giveUp == null) {
            giveUp = operations.dispatch().deadline();
        }
        return giveUp.left().isZero();
    }

    private Stream<List<OpenJob>> pages(Views from) {
        return Stream.iterate(
                from.jobs(filter, SIZE),
                page -> !page.isEmpty(),
                page -> Portion.isWhole(page, SIZE, OpenJob::atMost)
                        ? List.of()
                        : from.jobs(filter.after(page.getLast().key()), SIZE));
    }
}
