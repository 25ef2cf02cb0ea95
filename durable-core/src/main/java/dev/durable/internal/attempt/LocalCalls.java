package dev.durable.internal.attempt;

import dev.durable.store.ClaimedJob;
import java.time.Duration;
import java.util.UUID;

/** The interface by which a run begins, cancels and abandons its local activities. */
public interface LocalCalls {

    /** The run that has called a local activity. */
    interface Caller {
        /** The local activity ended. */
        void ended(AttemptOutcome outcome);

        /**
         * The activity will not be run here, as this worker stops or the run has ended; the run should be given back to
         * other workers.
         */
        void givenBack();

        /** The activity can't be run in this process at all: the run stalls. */
        void refused(String why);
    }

    /** Begins the activity, as the turn that called it is durable. Its lease is a name in this process only. */
    void begin(ClaimedJob call, Caller caller);

    /** Cancels the activity; the run still waits for its outcome. */
    void cancel(UUID lease);

    /** Abandons the activity, as the run's instance is gone: its outcome will be ignored. */
    void abandon(UUID lease);

    /** Returns how long a run may be silent while it has local activities before other workers take it for lost. */
    Duration silence();

    /** A caller for queries and checks, which call no local activities. */
    Caller IGNORING = new Caller() {
        @Override
        public void ended(AttemptOutcome outcome) {
            outcome.settled();
        }

        @Override
        public void givenBack() {}

        @Override
        public void refused(String why) {}
    };

    /** The implementation for processes in which no activities run: it gives each call back. */
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
