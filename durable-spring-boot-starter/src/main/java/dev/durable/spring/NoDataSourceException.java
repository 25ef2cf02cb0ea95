package dev.durable.spring;

import dev.durable.DurableException;

/** There is no one DataSource that histories could be kept in. */
final class NoDataSourceException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final boolean several;

    NoDataSourceException(long found) {
        super(
                found == 0
                        ? "Durable keeps its histories in the application's DataSource, and there is no DataSource bean."
                        : "Durable keeps its histories in the application's DataSource, and there are " + found
                                + " DataSource beans, none of them primary.");
        this.several = found > 1;
    }

    String wayOut() {
        return several
                ? "Mark the one that Durable is to use as @Primary, or declare a HistoryStore bean:"
                        + " PostgresHistoryStore.of(thatDataSource)."
                : "Add spring-boot-starter-jdbc and PostgreSQL's driver and set spring.datasource.url, declare a"
                        + " DataSource bean or a HistoryStore bean, or set durable.enabled=false.";
    }
}
