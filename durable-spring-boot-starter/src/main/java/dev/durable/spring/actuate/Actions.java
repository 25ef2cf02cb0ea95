package dev.durable.spring.actuate;

import dev.durable.client.DurableClient;
import dev.durable.client.IncidentControl;
import dev.durable.client.IncidentQuery;
import dev.durable.client.Queues;
import dev.durable.client.WorkflowHandle;
import dev.durable.internal.text.Bounds;
import dev.durable.spring.actuate.DurableEndpoint.BadRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The actions of operators through the endpoint: history and audit name the operator, and each action is one line in
 * the log.
 */
final class Actions {
    private static final Logger log = LoggerFactory.getLogger(Actions.class);

    private final DurableClient client;

    Actions(DurableClient client) {
        this.client = client;
    }

    /** Null where the section has no actions. */
    @Nullable
    Object act(String section, String id, String action, String actor, @Nullable String reason) {
        if (id.isEmpty()) {
            throw new BadRequest("Name in the path what this is done to: " + section + "/…");
        }
        Object done =
                switch (section) {
                    case "workflows" -> workflow(client.handle(id).by(actor), action, reason);
                    case "queues" -> queue(queues(actor, reason), id, action);
                    case "activities" -> activity(queues(actor, reason), id, action);
                    case "incidents" -> resolve(client.incidents(), id, action, actor, reason);
                    case "deadletters" -> resolve(client.deadLetters(), id, action, actor, reason);
                    default -> null;
                };
        if (done != null) {
            log.info("{} did {} to {}/{} through the endpoint", actor, action, section, Bounds.shown(id));
        }
        return done;
    }

    private static Map<String, Object> workflow(WorkflowHandle<?, ?> workflow, String action, @Nullable String why) {
        String reason = why == null ? "through the endpoint durable" : why;
        switch (action) {
            case "cancel" -> workflow.cancel(reason);
            case "terminate" -> workflow.terminate(reason);
            case "pause" -> workflow.pause(reason);
            case "resume" -> workflow.resume();
            default -> throw unknown(action, "cancel, terminate, pause, resume");
        }
        return Map.of("done", true);
    }

    private Queues queues(String actor, @Nullable String reason) {
        Queues queues = client.queues().by(actor);
        return reason == null ? queues : queues.because(reason);
    }

    private static Map<String, Object> queue(Queues queues, String queue, String action) {
        return Map.of(
                "done",
                switch (action) {
                    case "pause" -> queues.pause(queue);
                    case "resume" -> queues.resume(queue);
                    default -> throw unknown(action, "pause, resume");
                });
    }

    private static Map<String, Object> activity(Queues queues, String activity, String action) {
        return Map.of(
                "done",
                switch (action) {
                    case "pause" -> queues.pauseActivity(activity);
                    case "resume" -> queues.resumeActivity(activity);
                    default -> throw unknown(action, "pause, resume");
                });
    }

    private static Map<String, Object> resolve(
            IncidentQuery waiting, String id, String action, String actor, @Nullable String reason) {
        ActivityPath path = ActivityPath.of(id);
        IncidentControl control = waiting.one(path.workflowId(), path.seq()).by(actor);
        if (reason != null) {
            control = control.because(reason);
        }
        switch (action) {
            case "retry" -> control.retry();
            case "fail" -> control.fail(reason == null ? "given up by " + actor : reason);
            case "discard" -> control.discard();
            default -> throw unknown(action, "retry, fail, discard");
        }
        return Map.of("done", true);
    }

    private static BadRequest unknown(String action, String there) {
        return new BadRequest("There is no action " + action + " here, but " + there);
    }
}
