package dev.durable.store.postgres.endtoend;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.store.postgres.Sql;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Settings of a database, a role or a JDBC URL that were made for other reasons do not change the behaviour of Durable.
 * Unrelated settings are tested together, as each case needs a database.
 */
@Timeout(300)
@Tag("slow")
class SettingsOfOthersTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "standard_conforming_strings = off; escape_string_warning = off; backslash_quote = off",
                "array_nulls = off; transform_null_equals = on; quote_all_identifiers = on; xmlbinary = hex; xmloption = document",
                "DateStyle = 'German, DMY'; IntervalStyle = sql_standard; TimeZone = 'Asia/Kathmandu';"
                        + " timezone_abbreviations = 'Australia'; bytea_output = escape; extra_float_digits = -15;"
                        + " lc_numeric = 'C'; lc_monetary = 'C'; lc_time = 'C'; lc_messages = 'C'; client_encoding = 'LATIN1';"
                        + " client_min_messages = debug1; application_name = ''; search_path = ''",
                "default_transaction_isolation = serializable; default_transaction_deferrable = on; row_security = off;"
                        + " check_function_bodies = off; synchronous_commit = off; session_replication_role = local;"
                        + " default_toast_compression = pglz; default_tablespace = pg_default; temp_tablespaces = pg_default;"
                        + " default_table_access_method = heap; lo_compat_privileges = on; commit_siblings = 0",
                "default_transaction_isolation = 'read uncommitted'; log_parameter_max_length_on_error = -1;"
                        + " statement_timeout = '60s'; lock_timeout = '5s'; idle_in_transaction_session_timeout = '5s';"
                        + " idle_session_timeout = '5s'; tcp_keepalives_idle = 1; default_statistics_target = 1",
                "plan_cache_mode = force_generic_plan; enable_seqscan = off; enable_nestloop = off; from_collapse_limit = 1;"
                        + " join_collapse_limit = 1; jit_above_cost = 0; jit_inline_above_cost = -1; work_mem = '64kB'",
                "plan_cache_mode = force_custom_plan; enable_indexscan = off; enable_bitmapscan = off; enable_hashjoin = off;"
                        + " enable_partition_pruning = off; enable_material = off; enable_sort = off; geqo_threshold = 2;"
                        + " constraint_exclusion = on; cursor_tuple_fraction = 1; parallel_setup_cost = 0;"
                        + " parallel_tuple_cost = 0; min_parallel_table_scan_size = 0; default_text_search_config ="
                        + " 'pg_catalog.simple'"
            })
    void a_database_with_these_settings_is_migrated_and_works(String settings) throws SQLException {
        try (TestDatabase database = TestDatabase.create()) {
            for (String setting : settings.split(";", -1)) {
                Sql.execute(database.dataSource(), "alter database " + database.name() + " set " + setting);
            }
            CoreScenario.on(database.pooledDataSource(10));
        }
    }

    @Test
    void a_role_with_these_settings_works_in_a_schema_of_somebody_else() throws SQLException {
        try (TestDatabase database = TestDatabase.migrated()) {
            for (String setting : new String[] {"standard_conforming_strings = off", "array_nulls = off"}) {
                Sql.execute(
                        database.dataSource(),
                        "alter role \"" + database.username() + "\" in database " + database.name() + " set "
                                + setting);
            }
            CoreScenario.on(database.pooledDataSource(10));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "defaultRowFetchSize=1",
                "defaultRowFetchSize=2&adaptiveFetch=true&maxResultBuffer=100M",
                "preferQueryMode=simple",
                "preferQueryMode=simple&options=-c%20standard_conforming_strings=off",
                "preferQueryMode=simple&options=-c%20array_nulls=off",
                "preferQueryMode=extendedForPrepared",
                "preferQueryMode=extendedCacheEverything",
                "prepareThreshold=0&preparedStatementCacheQueries=0",
                "prepareThreshold=1&preparedStatementCacheQueries=1&flushCacheOnDeallocate=false",
                "binaryTransfer=false&options=-c%20array_nulls=off",
                "autosave=always&cleanupSavepoints=true&defaultRowFetchSize=1",
                "autosave=conservative&stringtype=unspecified&reWriteBatchedInserts=true",
                "maxResultBuffer=4M&socketTimeout=30&gssEncMode=disable&channelBinding=disable&tcpKeepAlive=true",
                "assumeMinServerVersion=9.6&currentSchema=information_schema&ApplicationName=it's&readOnlyMode=always"
                        + "&escapeSyntaxCallMode=callIfNoReturn&hideUnprivilegedObjects=true&loggerLevel=OFF"
                        + "&logUnclosedConnections=true&disableColumnSanitiser=true&allowEncodingChanges=true&unknownLength=10"
                        + "&groupStartupParameters=true&quoteReturningIdentifiers=false&convertBooleanToNumeric=true"
            })
    void a_jdbc_url_with_these_properties_works(String properties) throws SQLException {
        try (TestDatabase database = TestDatabase.migrated();
                HikariDataSource pool = pool(database, properties)) {
            CoreScenario.on(pool);
        }
    }

    private static HikariDataSource pool(TestDatabase database, String properties) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        String url = database.jdbcUrl();
        dataSource.setUrl(url + (url.contains("?") ? "&" : "?") + properties);
        dataSource.setUser(database.username());
        dataSource.setPassword(database.password());
        HikariConfig config = new HikariConfig();
        config.setDataSource(dataSource);
        config.setMaximumPoolSize(10);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }
}
