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
 * @param actor who
 * @param reason why, for the audit; null where nobody said
 * @param what what
 */
public record QueueChange(UUID id, String actor, @Nullable String reason, What what) {

    /** Without a reason. */
    public QueueChange(UUID id, String actor, What what) {
        this(id, actor, null, what);
    }

    /** What the audit says beside actor, action and target: a JSON object. */
    public String details() {
        if (reason == null) {
            return what.details();
        }
        String why = "{\"reason\":" + JsonText.quoted(reason);
        return what.details().equals("{}")
                ? why + "}"
                : why + "," + what.details().substring(1);
    }

    /** What is changed. */
    public sealed interface What {
        /** As the audit calls it. */
        String action();

        /** The queue or the activity. */
        String target();

        /** What else the audit says: a JSON object. */
        default String details() {
            return "{}";
        }
    }

    /** No job of the queue is begun, until then or for good. */
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

    /** Jobs of the queue are begun again. */
    public record ResumeQueue(String target) implements What {
        @Override
        public String action() {
            return "resume queue";
        }
    }

    /** No job of the activity, or of all of a type, is begun. */
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

    /** Jobs of the activity are begun again. */
    public record ResumeActivity(String target) implements What {
        @Override
        public String action() {
            return "resume activity";
        }
    }

    /** All limits of a queue at once. */
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
