package dev.durable.internal.declare.type;

import dev.durable.RegistrationException;
import java.util.LinkedHashSet;
import java.util.Set;

/** Collects the errors of a registration, so that a user gets all of them at once. */
public final class Problems {
    private final Set<String> found = new LinkedHashSet<>();

    public void add(Problem problem) {
        found.add(problem.toString());
    }

    /** Adds a problem that is a complete sentence. */
    public void add(String problem) {
        found.add(problem);
    }

    boolean isEmpty() {
        return found.isEmpty();
    }

    /** Throws if there is any problem. */
    public void throwIfAny() {
        if (!found.isEmpty()) {
            throw new RegistrationException(text());
        }
    }

    private String text() {
        StringBuilder text = new StringBuilder(
                        found.size() == 1 ? "A declaration is" : found.size() + " declarations are")
                .append(" wrong:");
        int number = 0;
        for (String problem : found) {
            text.append("\n  ").append(++number).append(". ").append(problem);
        }
        return text.toString();
    }
}
