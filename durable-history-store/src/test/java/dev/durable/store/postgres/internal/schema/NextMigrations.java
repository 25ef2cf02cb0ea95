package dev.durable.store.postgres.internal.schema;

import java.util.stream.Stream;

/**
 * Migrations that follow those of the library, for tests of the way from one version to the next: a column of a table (2), an
 * index that is built concurrently in place of another (3), a table with a view (5; 4 was given up). They are patterns for the
 * migrations that will come.
 */
public final class NextMigrations {
    /** The library's migrations and those of this test. */
    public static final Migrations ALL = new Migrations(Stream.concat(
                    Migrations.OF_LIBRARY.files().stream(),
                    Stream.of("V2__a_column.sql", "V3__an_index.sql", "V5__a_table.sql")
                            .map(name -> "dev/durable/store/postgres/next/" + name))
            .toList());

    private NextMigrations() {}
}
