package dev.durable.store;

import dev.durable.client.QueueLimits;
import dev.durable.history.JsonObjectWriter;
import java.time.Instant;
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
        return JsonObjectWriter.object(out -> what.details(out.string("reason", reason)));
    }

    /** What is changed. */
    public sealed interface What {
        /** As the audit calls it. */
        String action();

        /** The queue or the activity. */
        String target();

        /** Writes what else the audit says. */
        default void details(JsonObjectWriter out) {}
    }

    /** No job of the queue is begun, until then or for good. */
    public record PauseQueue(String target, @Nullable Instant resumeAt) implements What {
        @Override
        public String action() {
            return "pause queue";
        }

        @Override
        public void details(JsonObjectWriter out) {
            out.instant("resumeAt", resumeAt);
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
        public void details(JsonObjectWriter out) {
            out.instant("resumeAt", resumeAt);
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
        public void details(JsonObjectWriter out) {
            out.number("concurrency", limits.concurrency())
                    .number("ratePerSecond", limits.ratePerSecond())
                    .number("maxDepth", limits.maxDepth())
                    .number("keyConcurrency", limits.keyConcurrency())
                    .number("keyRatePerSecond", limits.keyRatePerSecond());
        }
    }
}
