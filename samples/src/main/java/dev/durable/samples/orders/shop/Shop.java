package dev.durable.samples.orders.shop;

import dev.durable.samples.Resource;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** The shop on its database: its tables, its activities, its approval desk. */
public final class Shop {
    private final DSLContext sql;
    private final ApprovalDesk desk;

    private Shop(DSLContext sql) {
        this.sql = sql;
        this.desk = new ApprovalDesk(sql);
    }

    /** Opens the shop; creates its tables where they are missing. */
    public static Shop on(DataSource database) {
        DSLContext sql = DSL.using(database, SQLDialect.POSTGRES);
        sql.execute(Resource.text(Shop.class, "shop.sql")); // in one message, and so in one transaction
        return new Shop(sql);
    }

    /** The activities that workers register. */
    public Object[] activities() {
        return new Object[] {
            new PaymentLedger(sql, Latency.ofMillis(40, 120)),
            new Warehouse(sql, Latency.ofMillis(10, 30)),
            new Carrier(sql, Latency.ofMillis(60, 180)),
            desk
        };
    }

    /** Where orders wait for a person. */
    public ApprovalDesk desk() {
        return desk;
    }

    /** The answer to a query, as a table to read. */
    public String ask(String query) {
        return sql.fetch(query).format();
    }
}
