package dev.durable.internal.client.operate;

import dev.durable.DurableException;
import dev.durable.PayloadException;
import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.OpenJob;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Collects the jobs of a selection that an order did not reach, and reports them in one exception when the others are
 * done.
 */
final class UnreachedJobs {
    /**
     * The activities that can't have the order's value. It may be large, so it is tried only once for each activity.
     */
    private final Set<String> refusing = new HashSet<>();

    private long locked;
    private long unfit;
    private @Nullable OpenJob firstLocked;
    private @Nullable OpenJob firstUnfit;
    private @Nullable PayloadException why;

    /** Returns the order for the job; null where there is none, or where the job can't have the order's value. */
    @Nullable
    JobOrder decided(OpenJob job, Function<OpenJob, ? extends @Nullable JobOrder> decide) {
        if (!refusing.contains(job.activity())) {
            try {
                return decide.apply(job);
            } catch (PayloadException e) {
                refusing.add(job.activity());
                firstUnfit = firstUnfit == null ? job : firstUnfit;
                why = why == null ? e : why;
            }
        }
        unfit++;
        return null;
    }

    void locked(OpenJob job) {
        firstLocked = firstLocked == null ? job : firstLocked;
        locked++;
    }

    /**
     * Throws unless the order reached all jobs.
     *
     * @param done how many jobs were changed
     */
    void check(long done) {
        String others = " " + done + " others were changed. ";
        if (firstUnfit != null && why != null) {
            throw new PayloadException(
                    saysUnfit(firstUnfit, why) + (firstLocked == null ? "" : " And " + saysLocked(firstLocked)) + others
                            + "Narrow the selection by activity, and give each what it can have.",
                    why);
        }
        if (firstLocked != null) {
            throw new DurableException(saysLocked(firstLocked) + others + "Do it again in a moment.");
        }
    }

    private String saysUnfit(OpenJob first, PayloadException reason) {
        return "of the selected activities " + unfit + " can't have this value, first of them " + name(first.key())
                + ", " + first.activity() + ": nothing was done to them. " + reason.getMessage();
    }

    private String saysLocked(OpenJob first) {
        return "of the selected activities " + locked + " stayed locked, first of them " + name(first.key())
                + ": nothing was done to them. Usually another transaction has locked them.";
    }

    private static String name(JobKey key) {
        return "activity " + key.seq() + " of workflow " + key.run().shown();
    }
}
