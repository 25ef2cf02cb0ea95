package dev.durable.store.postgres;

/** What {@code open()} does about the tables. */
public enum SchemaMode {
    /** Creates and upgrades them. The database user needs CREATE on the database once. The default. */
    MIGRATE,
    /** Checks that a version this library can work with is there; somebody else runs {@link Schema#sql}. */
    VALIDATE,
    /** Looks at nothing. */
    NONE
}
