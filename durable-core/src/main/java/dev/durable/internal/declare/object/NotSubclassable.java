package dev.durable.internal.declare.object;

import dev.durable.internal.declare.type.Problem;
import org.jspecify.annotations.Nullable;

/** Says why no empty object of a type can be made. */
final class NotSubclassable extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient Problem problem;

    NotSubclassable(Problem problem) {
        this(problem, null);
    }

    NotSubclassable(Problem problem, @Nullable Throwable cause) {
        super(problem.toString(), cause);
        this.problem = problem;
    }

    Problem problem() {
        return problem;
    }
}
