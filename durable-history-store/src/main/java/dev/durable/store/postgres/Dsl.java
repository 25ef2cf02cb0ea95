package dev.durable.store.postgres;

import java.sql.Connection;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** jOOQ inside a transaction, whose search_path points at the configured schema: its tables are not qualified. */
final class Dsl {
    static {
        // Banners belong to applications. Whoever wants them sets these to false.
        quiet("org.jooq.no-logo");
        quiet("org.jooq.no-tips");
    }

    private Dsl() {}

    static DSLContext on(Connection connection) {
        return DSL.using(connection, SQLDialect.POSTGRES);
    }

    private static void quiet(String property) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, "true");
        }
    }
}
