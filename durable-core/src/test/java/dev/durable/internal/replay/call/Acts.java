package dev.durable.internal.replay.call;

import dev.durable.Activity;
import dev.durable.ActivityCancellationType;

/** Activities for workflows under test, without an implementation: the tests feed the outcomes. */
@Activity
public interface Acts {
    String a(String what);

    void nothing();

    int count(int n) throws Declined;

    @Activity(taskQueue = "other", startToClose = "5s")
    String elsewhere(String what);

    @Activity(cancellation = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED)
    String waited(String what);

    @Activity(cancellation = ActivityCancellationType.ABANDON)
    String abandoned(String what);

    /** Runs in the workflow. */
    default String twice(String what) {
        return a(what) + a(what);
    }

    /** Named by a signature. */
    class Declined extends Exception {
        private static final long serialVersionUID = 1L;

        public Declined(String message) {
            super(message);
        }
    }
}
