package dev.durable.fuzz;

import java.util.concurrent.atomic.AtomicInteger;

/** A class that nobody declares; inputs name it, and it tells when it is initialised. */
public final class Planted {
    static {
        Count.INITIALISED.incrementAndGet();
    }

    private Planted() {}

    /** Known by its name only, so that no test initialises it. */
    public static final class Count {
        private static final AtomicInteger INITIALISED = new AtomicInteger();

        /** The class's name. */
        public static final String NAME = "dev.durable.fuzz.Planted";

        private Count() {}

        /** How often it was. */
        public static int initialised() {
            return INITIALISED.get();
        }
    }
}
