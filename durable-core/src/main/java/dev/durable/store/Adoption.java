package dev.durable.store;

import dev.durable.client.Installation.OpenWork;
import java.util.function.Function;

/**
 * The request to make a store an installation of its own ({@code Installation.adopt}).
 *
 * @param name how it is called from then on
 * @param open what becomes of its open work
 * @param actor who does it, for the audit
 * @param end how an open run ends, where they are to
 */
public record Adoption(String name, OpenWork open, String actor, Function<RunKey, Seizure> end) {
    public Adoption {
        checked(name);
    }

    /**
     * The name, where it can be that of an installation.
     *
     * @throws IllegalArgumentException where it can't
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
