package dev.durable.internal.replay.call;

import dev.durable.ContinueOptionsBuilder;
import dev.durable.RefusedInputException;
import dev.durable.UsageException;
import dev.durable.WaitBounds;
import dev.durable.history.Payload;
import dev.durable.history.WorkflowContinuedAsNew;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.text.Bounds;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The next run of a chain, as the code that continues as new asks for it.
 *
 * @param runId the next run's id
 * @param typeNames the name of its type, and then the former ones
 * @param taskQueue its task queue
 * @param input the arguments of its run method, a JSON array
 * @param runTimeout how long it may take; null is unlimited
 * @param startDelay how long its first turn waits; null is not at all
 * @param keepsBuild whether the build of this turn alone goes on with it
 */
record Continuation(
        UUID runId,
        List<String> typeNames,
        String taskQueue,
        Payload input,
        @Nullable Duration runTimeout,
        @Nullable Duration startDelay,
        boolean keepsBuild) {

    /** Returns this continuation as another run. */
    Continuation withRunId(UUID other) {
        return new Continuation(other, typeNames, taskQueue, input, runTimeout, startDelay, keepsBuild);
    }

    WorkflowContinuedAsNew closing(long id, Instant at) {
        return new WorkflowContinuedAsNew(
                id, at, runId, typeNames.getFirst(), taskQueue, input, runTimeout, startDelay, false, keepsBuild);
    }

    /** The options as the call gives them, beside those of the run before. */
    static final class Options implements ContinueOptionsBuilder {
        private String taskQueue;
        private boolean keepsTaskQueue = true;
        private @Nullable Duration runTimeout;
        private @Nullable Duration startDelay;
        private boolean keepsBuild;

        private Options(WorkflowStarted before) {
            taskQueue = before.taskQueue();
            runTimeout = before.runTimeout();
        }

        /** Returns the options after the call has set its own. */
        static Options of(WorkflowStarted before, Consumer<ContinueOptionsBuilder> call) {
            Options options = new Options(before);
            try {
                call.accept(options);
            } catch (IllegalArgumentException e) {
                throw new UsageException("Durable.continueAsNew: " + e.getMessage(), e);
            }
            return options;
        }

        @Override
        public ContinueOptionsBuilder taskQueue(String queue) {
            taskQueue = Bounds.name("Durable.continueAsNew: the task queue", queue);
            keepsTaskQueue = false;
            return this;
        }

        @Override
        public ContinueOptionsBuilder runTimeout(Duration timeout) {
            if (timeout.isNegative() || timeout.isZero()) {
                throw new RefusedInputException("runTimeout must be longer than zero, not " + timeout);
            }
            runTimeout = WaitBounds.bounded("runTimeout", timeout);
            return this;
        }

        @Override
        public ContinueOptionsBuilder startDelay(Duration delay) {
            Duration given = WaitBounds.notNegative("startDelay", delay);
            startDelay = given.isZero() ? null : given;
            return this;
        }

        @Override
        public ContinueOptionsBuilder keepBuild() {
            keepsBuild = true;
            return this;
        }

        /** Returns the task queue of the run before; null where the call has named one. */
        @Nullable
        String keptTaskQueue() {
            return keepsTaskQueue ? taskQueue : null;
        }

        Continuation next(UUID runId, List<String> typeNames, Payload input) {
            return new Continuation(runId, typeNames, taskQueue, input, runTimeout, startDelay, keepsBuild);
        }
    }
}
