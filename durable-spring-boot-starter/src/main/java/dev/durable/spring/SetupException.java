package dev.durable.spring;

import dev.durable.DurableException;
import org.jspecify.annotations.Nullable;

/** The application's beans do not fit together for Durable. */
final class SetupException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String wayOut;

    SetupException(String problem, String wayOut) {
        this(problem, wayOut, null);
    }

    SetupException(String problem, String wayOut, @Nullable Throwable cause) {
        super(problem + " " + wayOut, cause);
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
