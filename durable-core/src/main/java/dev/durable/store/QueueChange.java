package dev.durable.store;

import dev.durable.client.QueueLimits;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A change that an operator makes to a task queue or activity: pause, resume, limits.
 *
 * @param id random; the id of its row in the audit
 * @param actor the operator's name
 * @param reason the operator's reason, for the audit; null if none was given
 * @param what the change
 */
public record QueueChange(UUID id, String actor, @Nullable String reason, What what) {

    /** A change without a reason. */
    public QueueChange(UUID id, String actor, What what) {
        this(id, actor, null, what);
    }

    /** The details of the row in the audit, beside actor, action and target: a JSON object. */
    public String details() {
        if (reason == null) {
            return what.details();
        }
        String why = "{\"reason\":" + JsonText.quoted(reason);
        return what.details().equals("{}")
                ? why + "}"
                : why + "," + what.details().substring(1);
    }

    /** The change itself. */
    public sealed interface What {
        /** The name of the action in the audit. */
        String action();

        /** The queue or the activity. */
        String target();

        /** Further details for the audit: a JSON object. */
        default String details() {
            return "{}";
        }
    }

    /** Pauses a queue: no job of it is begun until the time of resume, or until it is resumed. */
    public record PauseQueue(String target, @Nullable Instant resumeAt) implements What {
        @Override
        public String action() {
            return "pause queue";
        }

        @Override
        public String details() {
            return until(resumeAt);
        }
    }

    /** Resumes a queue. */
    public record ResumeQueue(String target) implements What {
        @Override
        public String action() {
            return "resume queue";
        }
    }

    /** Pauses an activity, or all activities of a type: no job of it is begun. */
    public record PauseActivity(String target, @Nullable Instant resumeAt) implements What {
        @Override
        public String action() {
            return "pause activity";
        }

        @Override
        public String details() {
            return until(resumeAt);
        }
    }

    /** Resumes an activity. */
    public record ResumeActivity(String target) implements What {
        @Override
        public String action() {
            return "resume activity";
        }
    }

    /** Sets all limits of a queue at once. */
    public record Limit(String target, QueueLimits limits) implements What {
        @Override
        public String action() {
            return "limit queue";
        }

        @Override
        public String details() {
            List<String> parts = new ArrayList<>();
            add(parts, "concurrency", limits.concurrency());
            add(parts, "ratePerSecond", limits.ratePerSecond());
            add(parts, "maxDepth", limits.maxDepth());
            add(parts, "keyConcurrency", limits.keyConcurrency());
            add(parts, "keyRatePerSecond", limits.keyRatePerSecond());
            return "{" + String.join(",", parts) + "}";
        }

        private static void add(List<String> parts, String name, @Nullable Integer value) {
            if (value != null) {
                parts.add('"' + name + "\":" + value);
            }
        }
    }

    private static String until(@Nullable Instant resumeAt) {
        return resumeAt == null ? "{}" : "{\"resumeAt\":\"" + resumeAt + "\"}";
    }
}
