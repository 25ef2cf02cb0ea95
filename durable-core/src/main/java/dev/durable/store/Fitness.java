package dev.durable.store;

import dev.durable.ForeignInstallationException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of checking that a process may work on a store: its installation, and its missing rights.
 *
 * @param foreign why the store belongs to another installation; null if it does not
 * @param problems all other problems, such as rights that its user lacks, each with the way out
 */
public record Fitness(@Nullable ForeignInstallationException foreign, List<String> problems) {
    /** The result without a problem. */
    public static final Fitness GOOD = new Fitness(null, List.of());

    public Fitness {
        problems = List.copyOf(problems);
    }
}
