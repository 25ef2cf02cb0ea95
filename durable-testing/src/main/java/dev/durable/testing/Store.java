package dev.durable.testing;

/** Chooses where a {@code @DurableTest} keeps its histories: in memory, or in a real PostgreSQL. */
public enum Store {
    /** In memory: serialises and refuses as PostgreSQL does. */
    MEMORY,
    /** A real PostgreSQL: a fresh database, on the server that {@code -Ddurable.test.postgres} chooses. */
    POSTGRES
}
