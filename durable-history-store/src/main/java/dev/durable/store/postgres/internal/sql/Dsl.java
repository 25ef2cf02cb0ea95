package dev.durable.store.postgres.internal.sql;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;

/** Creates jOOQ contexts for a transaction whose search_path has the configured schema: tables are unqualified. */
final class Dsl {
    private static final int LISTED = 18;

    /** Without logging of statements, which at DEBUG would write values and rows into the log, payloads among them. */
    private static final Settings SETTINGS = new Settings().withExecuteLogging(false);

    static {
        // No banners of jOOQ in the log of an application; an application that wants them sets these properties to
        // false.
        quiet("org.jooq.no-logo");
        quiet("org.jooq.no-tips");
    }

    private Dsl() {}

    static DSLContext on(Connection connection) {
        return DSL.using(answering(Connection.class, connection), SQLDialect.POSTGRES, SETTINGS);
    }

    /**
     * Wraps a connection so that its meta data name a version that the dialect lists. jOOQ's open source edition lists
     * the newest versions only and warns of others at every start; the queries here are tested on all versions that
     * Durable supports.
     */
    private static <T> T answering(Class<T> type, T server) {
        return type.cast(Proxy.newProxyInstance(
                Dsl.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        Object answer = method.invoke(server, arguments);
                        return switch (method.getName()) {
                            case "getMetaData" -> answering(DatabaseMetaData.class, (DatabaseMetaData) answer);
                            case "getDatabaseMajorVersion" -> Math.max((int) answer, LISTED);
                            default -> answer;
                        };
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                }));
    }

    private static void quiet(String property) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, "true");
        }
    }
}
