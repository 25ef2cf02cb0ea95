package dev.durable.spring;

import dev.durable.DurableException;
import dev.durable.internal.text.Thrown;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** Tells what keeps the store from being opened: a database that is away for a while, or a configuration that is wrong. */
final class StoreAccess {
    private static final Set<String> AWAY = Set.of("57P01", "57P02", "57P03", "53300", "25006");
    private static final String CONNECTION = "08";
    private static final String NO_DATABASE = "3D000";
    private static final String NO_LOGIN = "28";
    private static final String NO_DRIVER = "No suitable driver";

    private StoreAccess() {}

    /** Returns whether trying again later may help, with nothing changed here. */
    static boolean isAway(Throwable failure) {
        if (isWrong(failure)) {
            return false;
        }
        return chain(failure).anyMatch(IOException.class::isInstance)
                || states(failure).anyMatch(state -> AWAY.contains(state) || state.startsWith(CONNECTION));
    }

    /** Explains exceptions that pools and drivers throw of a wrong configuration; else gives the failure as it is. */
    static RuntimeException explained(RuntimeException failure) {
        String said = chain(failure)
                .filter(SQLException.class::isInstance)
                .map(e -> Thrown.of(e).message())
                .filter(Objects::nonNull)
                .reduce((outer, inner) -> inner)
                .orElse("");
        if (states(failure).anyMatch(state -> state.startsWith(NO_LOGIN))) {
            return new SetupException(
                    "The database refused the login of Durable's DataSource: " + said + ".",
                    "Correct spring.datasource.username and spring.datasource.password, or the DataSource bean; where"
                            + " durable.migration-url is set, durable.migration-username and durable.migration-password.",
                    failure);
        }
        if (states(failure).anyMatch(NO_DATABASE::equals)) {
            return new SetupException(
                    "The database that Durable's DataSource names does not exist: " + said + ".",
                    "Create it, or correct spring.datasource.url.",
                    failure);
        }
        if (hasNoDriver(failure)) {
            return new SetupException(
                    "There is no JDBC driver for the URL of Durable's DataSource.",
                    "Durable needs PostgreSQL: write spring.datasource.url as jdbc:postgresql://host:port/database, and"
                            + " leave spring.datasource.driver-class-name out.",
                    failure);
        }
        if (failure instanceof DurableException || states(failure).findAny().isEmpty()) {
            return failure;
        }
        return new SetupException(
                "Durable can't open its store: " + said + ".",
                "Check that the database runs and accepts connections from here, and spring.datasource.url.",
                failure);
    }

    private static boolean isWrong(Throwable failure) {
        return states(failure).anyMatch(state -> state.startsWith(NO_LOGIN) || state.equals(NO_DATABASE))
                || hasNoDriver(failure);
    }

    private static boolean hasNoDriver(Throwable failure) {
        return chain(failure).anyMatch(e -> Thrown.of(e).words().contains(NO_DRIVER));
    }

    private static Stream<String> states(Throwable failure) {
        return chain(failure)
                .filter(SQLException.class::isInstance)
                .map(e -> ((SQLException) e).getSQLState())
                .filter(Objects::nonNull);
    }

    private static Stream<Throwable> chain(Throwable failure) {
        return Thrown.of(failure).chain();
    }
}
