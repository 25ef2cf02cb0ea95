package dev.durable.store.postgres;

import dev.durable.store.RunFilter;
import dev.durable.store.postgres.internal.read.RunSearch;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.ExecuteContext;
import org.jooq.ExecuteListener;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jooq.impl.DefaultConfiguration;

/**
 * The cost of listings and descriptions: each statement is explained as it runs in their transactions.
 *
 * @param plan the plans of all statements
 * @param pages the pages that were touched
 * @param millis the time of planning and execution together
 */
record Explained(String plan, long pages, double millis) {
    private static final Pattern BUFFERS = Pattern.compile("^ *Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");
    private static final Pattern TIME = Pattern.compile("^(?:Planning|Execution) Time: ([0-9.]+) ms");

    /** The cost of a statement as it stands. */
    static Explained sql(DataSource dataSource, String sql) throws SQLException {
        return in(dataSource, TransactionSettings.READ, List.of(sql));
    }

    /** The cost of a page of a listing. */
    static Explained page(DataSource dataSource, RunFilter filter, int limit) throws SQLException {
        return listing(dataSource, dsl -> new RunSearch(filter).page(dsl, limit));
    }

    /** The cost of the statements that the work executes: they are noted, and executed again with EXPLAIN. */
    static Explained listing(DataSource dataSource, Consumer<DSLContext> work) throws SQLException {
        List<String> statements = new ArrayList<>();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(TransactionSettings.LISTING.setup(new SchemaName("durable")));
            work.accept(DSL.using(new DefaultConfiguration()
                    .set(connection)
                    .set(SQLDialect.POSTGRES)
                    .set(ExecuteListener.onExecuteStart(context -> statements.add(text(context))))));
            connection.rollback();
        }
        return in(dataSource, TransactionSettings.LISTING, statements);
    }

    private static String text(ExecuteContext context) {
        return DSL.using(SQLDialect.POSTGRES).renderInlined(context.query());
    }

    private static Explained in(DataSource dataSource, TransactionSettings locks, List<String> statements)
            throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(locks.setup(new SchemaName("durable")));
            List<String> lines = new ArrayList<>();
            long pages = 0;
            double millis = 0;
            for (String sql : statements) {
                if (sql.startsWith("select set_config(")) {
                    statement.execute(sql);
                    continue;
                }
                List<String> plan = explain(statement, sql);
                lines.add(sql);
                lines.addAll(plan);
                pages += pages(plan);
                millis += millis(plan);
            }
            connection.rollback();
            return new Explained(String.join("\n", lines), pages, millis);
        }
    }

    private static List<String> explain(Statement statement, String sql) throws SQLException {
        List<String> plan = new ArrayList<>();
        try (ResultSet rows =
                statement.executeQuery("explain (analyze, buffers, costs off, timing off, summary on) " + sql)) {
            while (rows.next()) {
                plan.add(rows.getString(1));
            }
        }
        return plan;
    }

    /** The pages of the uppermost node, which counts those of the nodes below. */
    private static long pages(List<String> plan) {
        for (String line : plan) {
            Matcher buffers = BUFFERS.matcher(line);
            if (buffers.find()) {
                return number(buffers.group(1)) + number(buffers.group(2));
            }
        }
        return 0;
    }

    private static long number(String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    private static double millis(List<String> plan) {
        return plan.stream()
                .map(TIME::matcher)
                .filter(Matcher::find)
                .mapToDouble(time -> Double.parseDouble(time.group(1)))
                .sum();
    }
}
