package dev.durable.testing;

/** Where the histories of a test live. */
public enum Store {
    /** In memory: serialises and refuses as PostgreSQL does. */
    MEMORY,
    /** A real PostgreSQL: a fresh database, on the server that {@code -Ddurable.test.postgres} chooses. */
    POSTGRES
}
