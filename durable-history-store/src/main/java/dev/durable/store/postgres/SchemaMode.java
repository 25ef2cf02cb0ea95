package dev.durable.store.postgres;

/** The action of the store on its schema when it opens: migrate it, or only validate it. */
public enum SchemaMode {
    /** Creates and upgrades the tables. The database user needs CREATE on the database once. The default. */
    MIGRATE,
    /** Checks that the schema has a version that this library can use; a DBA or deployment runs {@link Schema#sql}. */
    VALIDATE,
    /** Neither migrates nor checks. */
    NONE
}
