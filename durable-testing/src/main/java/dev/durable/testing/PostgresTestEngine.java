package dev.durable.testing;

import dev.durable.store.postgres.PostgresHistoryStoreBuilder;
import javax.sql.DataSource;

/**
 * Makes a {@link TestEngine} in a PostgreSQL that the test has already, such as that of an application under test. Apart from
 * {@code TestEngine}, which is also used where there is no PostgreSQL on the class path.
 */
public final class PostgresTestEngine {
    private PostgresTestEngine() {}

    /**
     * An engine on histories in a schema of its own, which is made now and dropped when the engine is closed. Its time is the
     * test's: the test moves it, and between two moves it goes at a hundredth of the speed of real time.
     *
     * @param dataSource connections to the database; stays open
     * @param schema a name that no other schema has, such as {@code test_4f2a}
     * @param store says how else the store is made, on the same database; its schema and its clock are set here
     */
    public static TestEngine on(DataSource dataSource, String schema, PostgresHistoryStoreBuilder store) {
        return TestEngine.on(PostgresTime.in(dataSource, schema, store), PumpDrive.PATIENCE_WITH_BODIES);
    }
}
