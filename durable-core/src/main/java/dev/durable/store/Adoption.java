package dev.durable.store;

import dev.durable.client.Installation.OpenWork;
import dev.durable.internal.text.Bounds;
import java.util.function.Function;

/**
 * The request to make a store an installation of its own ({@code Installation.adopt}).
 *
 * @param name the name of the installation from then on
 * @param open how its open work is treated
 * @param actor the name of the operator who adopts the store, for the audit
 * @param end how an open run ends, if open runs are to end
 */
public record Adoption(String name, OpenWork open, String actor, Function<RunKey, Seizure> end) {
    public Adoption {
        checked(name);
    }

    /**
     * Returns the name, if it can be the name of an installation.
     *
     * @throws IllegalArgumentException if it can't
     */
    public static String checked(String name) {
        if (!Bounds.isName(name) || name.length() > Bounds.INSTALLATION) {
            throw new IllegalArgumentException(
                    "installation \"" + Bounds.shown(name) + "\": a name has 1 to 100 characters, such as"
                            + " \"prod\", no blanks around it, and no control characters. Usual cause: a placeholder in a configuration that is not"
                            + " filled in. Leave it out where the installation needs no name.");
        }
        return name;
    }
}
