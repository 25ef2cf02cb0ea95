package dev.durable.internal.attempt;

import dev.durable.store.ClaimedJob;
import java.time.Duration;
import java.util.UUID;

/** The interface by which a run begins, cancels and abandons its local activities. */
public interface LocalCalls {

    /** The run that has called a local activity. */
    interface Caller {
        /** It ended. */
        void ended(AttemptOutcome outcome);

        /**
         * It will not be run here, as this worker stops or the run has ended; the run should be given back for other
         * workers.
         */
        void givenBack();

        /** It can't be run here at all: the run stalls. */
        void refused(String why);
    }

    /** The turn that called it is durable: runs it. Its lease is a name in this process only. */
    void begin(ClaimedJob call, Caller caller);

    /** The run has cancelled it and still waits for its outcome. */
    void cancel(UUID lease);

    /** The run's instance is gone: its outcome will be ignored. */
    void abandon(UUID lease);

    /** How long a run may be silent while it has local activities before others may take it for lost. */
    Duration silence();

    /** For queries and checks, which call no local activities. */
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
