package dev.durable.intercept;

import dev.durable.ActivityInfo;
import dev.durable.internal.text.NamedValues;
import java.util.Map;

/**
 * One attempt of an activity that an interceptor sees.
 *
 * @param info ids, name, attempt
 * @param local whether it runs inside the workflow's worker, without a job
 * @param transactional whether it runs in the transaction in which its completion is written
 * @param headers of its run, its options and its scheduling; they can't be changed any more
 */
public record ActivityCall(ActivityInfo info, boolean local, boolean transactional, Map<String, String> headers) {

    public ActivityCall {
        headers = NamedValues.copyOf(headers);
    }

    @Override
    public Map<String, String> headers() {
        return NamedValues.plain(headers);
    }
}
