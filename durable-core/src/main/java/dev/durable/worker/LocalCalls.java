package dev.durable.worker;

import dev.durable.store.ClaimedJob;
import java.time.Duration;
import java.util.UUID;

/** Local activities of the runs in this process. */
interface LocalCalls {

    /** Who waits for a local activity: its run. */
    interface Caller {
        /** It ended. */
        void ended(AttemptOutcome outcome);

        /** It will not be run here, as this worker stops or the run has ended: the run should be left to others. */
        void givenBack();

        /** It can't be run here, whatever is tried: the run stalls. */
        void refused(String why);
    }

    /** The turn that called it is durable: runs it. Its lease is a name in this process only. */
    void begin(ClaimedJob call, Caller caller);

    /** The run does not want it any more; it still waits for the outcome. */
    void cancel(UUID lease);

    /** The run's instance is gone: nothing that comes of it counts. */
    void abandon(UUID lease);

    /** How long a run may be silent while it has local activities before others may take it for lost. */
    Duration silence();

    /** Who only looks, and calls nothing. */
    Caller NOBODY = new Caller() {
        @Override
        public void ended(AttemptOutcome outcome) {
            outcome.settled();
        }

        @Override
        public void givenBack() {}

        @Override
        public void refused(String why) {}
    };

    /** Where no activities run. */
    LocalCalls NONE = new LocalCalls() {
        @Override
        public void begin(ClaimedJob call, Caller caller) {
            caller.givenBack();
        }

        @Override
        public void cancel(UUID lease) {}

        @Override
        public void abandon(UUID lease) {}

        @Override
        public Duration silence() {
            return Duration.ofSeconds(30);
        }
    };
}
