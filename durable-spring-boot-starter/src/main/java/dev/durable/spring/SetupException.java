package dev.durable.spring;

import dev.durable.DurableException;

/** The application's beans do not fit together for Durable. */
final class SetupException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String wayOut;

    SetupException(String problem, String wayOut) {
        super(problem + " " + wayOut);
        this.problem = problem;
        this.wayOut = wayOut;
    }

    String problem() {
        return problem;
    }

    String wayOut() {
        return wayOut;
    }
}
