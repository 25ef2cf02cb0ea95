package dev.durable.replay;

import dev.durable.Activity;

/** Activities for workflows under test; nobody implements them, the tests give the outcomes. */
@Activity
interface Acts {
    String a(String what);

    void nothing();

    int count(int n) throws Declined;

    @Activity(taskQueue = "other", startToClose = "5s")
    String elsewhere(String what);

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
