package dev.durable.store;

import dev.durable.client.QueueLimits;
import dev.durable.internal.json.JsonObjectWriter;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A change that an operator makes to a task queue, an activity or a build: pause, resume, limits, ramp.
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
        return JsonObjectWriter.object(out -> what.details(out.string("reason", reason)));
    }

    /** The change itself. */
    public sealed interface What {
        /** The name of the action in the audit. */
        String action();

        /** The queue, the activity or the build. */
        String target();

        /** Writes what else the audit says. */
        default void details(JsonObjectWriter out) {}
    }

    /** Pauses a queue: no job of it is begun until the time of resume, or until it is resumed. */
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

    /** Resumes a queue. */
    public record ResumeQueue(String target) implements What {
        @Override
        public String action() {
            return "resume queue";
        }
    }

    /** Pauses an activity, or all activities of a type, or by {@link QueueRules#ALL} everything: no job of it is begun. */
    public record PauseActivity(String target, @Nullable Instant resumeAt) implements What {
        @Override
        public String action() {
            return target.equals(QueueRules.ALL) ? "halt" : "pause activity";
        }

        @Override
        public void details(JsonObjectWriter out) {
            out.instant("resumeAt", resumeAt);
        }
    }

    /** Resumes an activity, or everything. */
    public record ResumeActivity(String target) implements What {
        @Override
        public String action() {
            return target.equals(QueueRules.ALL) ? "end halt" : "resume activity";
        }
    }

    /** Sets the share of new runs that a build gets in percent; null lets it take part as a build without a ramp. */
    public record RampBuild(String target, @Nullable Integer percent) implements What {
        @Override
        public String action() {
            return percent == null ? "end ramp of build" : "ramp build";
        }

        @Override
        public void details(JsonObjectWriter out) {
            out.number("percent", percent);
        }
    }

    /** Sets all limits of a queue at once. */
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
