package dev.durable.store;

import dev.durable.QueueLimits;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an operator does to queues.
 *
 * @param id random; the id of its row in the audit
 * @param actor who
 * @param what what
 */
public record QueueChange(UUID id, String actor, What what) {

    /** What is changed. */
    public sealed interface What {
        /** As the audit calls it. */
        String action();

        /** The queue or the activity. */
        String target();
    }

    /** No job of the queue is begun, until then or for good. */
    public record PauseQueue(String target, @Nullable Instant resumeAt) implements What {
        @Override
        public String action() {
            return "pause queue";
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
    }
}
