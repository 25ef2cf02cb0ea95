package dev.durable.spring.actuate;

import dev.durable.spring.actuate.DurableEndpoint.BadRequest;

/**
 * An activity in the path of a request: {@code order-42/3}.
 *
 * @param workflowId may have slashes itself
 * @param seq its number in the run
 */
record ActivityPath(String workflowId, int seq) {

    static ActivityPath of(String path) {
        int slash = path.lastIndexOf('/');
        if (slash > 0) {
            try {
                return new ActivityPath(path.substring(0, slash), Integer.parseInt(path.substring(slash + 1)));
            } catch (NumberFormatException e) {
                // refused below
            }
        }
        throw new BadRequest("Name the workflow id and the activity's number in the run: order-42/3");
    }
}
