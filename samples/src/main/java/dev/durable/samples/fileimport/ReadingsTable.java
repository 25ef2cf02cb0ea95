package dev.durable.samples.fileimport;

import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** The table that the readings go to. */
final class ReadingsTable {
    private ReadingsTable() {}

    /** Creates it where it is missing. */
    static DSLContext on(DataSource database) {
        DSLContext sql = DSL.using(database, SQLDialect.POSTGRES);
        sql.execute("create schema if not exists weather");
        sql.execute("""
                create table if not exists weather.reading (
                    file        text          not null,
                    row_no      bigint        not null,
                    station     text          not null,
                    measured_at timestamptz   not null,
                    celsius     numeric(4, 1) not null,
                    primary key (file, row_no))""");
        return sql;
    }
}
