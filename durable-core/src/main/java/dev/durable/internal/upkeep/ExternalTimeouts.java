package dev.durable.internal.upkeep;

import dev.durable.internal.attempt.ExternalAttempts;
import dev.durable.internal.drive.BatchChore;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.OpenJob;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A chore that ends attempts which were left to a token holder ({@code completeLater}) and ran out of their time or
 * were silent for too long: no worker watches them, so every process reads them. Each is read, decided by the retry
 * policy, and ordered in the state in which it was read: an order that comes second, or after a heartbeat of the
 * token's holder, changes nothing.
 *
 * @param unread the attempts whose rows can't be read, and which the log has named already
 */
public record ExternalTimeouts(HistoryStore store, ExternalAttempts attempts, Set<JobKey> unread)
        implements BatchChore.Work {
    private static final Logger log = LoggerFactory.getLogger(ExternalTimeouts.class);

    public ExternalTimeouts(HistoryStore store, ExternalAttempts attempts) {
        this(store, attempts, new HashSet<>());
    }

    @Override
    public int upTo(int most) {
        List<OpenJob> overdue = store.overdueExternal(most);
        if (!overdue.isEmpty()) {
            List<ExternalAttempts.Judged> judged = new ArrayList<>();
            overdue.forEach(job -> judge(job, judged));
            if (!judged.isEmpty()) {
                order(judged);
            }
            return judged.size();
        }
        unread.clear();
        return 0;
    }

    /**
     * Sends the orders and logs those that were carried out: an attempt that another process has ordered first, or that
     * gave a sign of life, is not this process's to log.
     */
    private void order(List<ExternalAttempts.Judged> judged) {
        List<JobOrder.Outcome> outcomes =
                store.order(judged.stream().map(ExternalAttempts.Judged::order).toList());
        int ended = 0;
        for (int i = 0; i < outcomes.size(); i++) {
            if (outcomes.get(i) == JobOrder.Outcome.APPLIED) {
                judged.get(i).log().run();
                ended++;
            }
        }
        if (ended > 0) {
            log.info("{} attempts that were left to the holders of their tokens timed out", ended);
        }
    }

    /**
     * Decides on one attempt. One whose options can't be read waits until its row is mended by hand; it does not hold
     * up the others.
     */
    private void judge(OpenJob job, List<ExternalAttempts.Judged> judged) {
        try {
            judged.add(attempts.overdue(job));
        } catch (RuntimeException e) {
            if (unread.add(job.key())) {
                log.error(
                        "activity {} of {} is out of time, and its row can't be read: {}. Usual cause: its options"
                                + " were changed by hand. Mend the column",
                        job.key().seq(),
                        job.key().run().shown(),
                        Bounds.lines(Thrown.of(e).words()));
            }
        }
    }
}
