package dev.durable.store.postgres;

/** What the store does about its schema when it opens: migrate it, or only validate it. */
public enum SchemaMode {
    /** Creates and upgrades them. The database user needs CREATE on the database once. The default. */
    MIGRATE,
    /** Checks that a version this library can work with is there; somebody else runs {@link Schema#sql}. */
    VALIDATE,
    /** Looks at nothing. */
    NONE
}
