package dev.durable.store.postgres.internal.read;

import dev.durable.internal.text.Portion;
import dev.durable.store.postgres.internal.sql.PortionSql;
import java.util.List;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Select;
import org.jooq.SortField;
import org.jooq.Table;
import org.jooq.impl.DSL;

/** Ends a page of a listing at a size that bounds the reader's memory, as {@link PortionSql} ends other reads. */
final class PagePortion {
    /** The size for which a row of a {@linkplain #of page} counts. */
    static final Field<Long> SIZE = DSL.field(DSL.name("size"), Long.class);

    private PagePortion() {}

    /**
     * The first of these rows that make a {@linkplain Portion portion}, in this order. The rows contain their sizes: if
     * the sizes of all rows that were read make a portion, there may be more rows.
     */
    static Select<? extends Record> of(
            DSLContext dsl,
            Select<? extends Record> rows,
            List<? extends Field<?>> large,
            List<? extends SortField<?>> order) {
        String size = PortionSql.sizes(
                large.stream().map(column -> "r." + column.getName()).toArray(String[]::new));
        Table<? extends Record> r = rows.asTable("r");
        Table<? extends Record> p = dsl.select(r.fields())
                .select(DSL.field(size, Long.class).as(SIZE))
                .from(r)
                .asTable("p");
        Table<? extends Record> q = dsl.select(p.fields())
                .select(DSL.sum(SIZE)
                        .over()
                        .orderBy(order)
                        .rowsUnboundedPreceding()
                        .minus(SIZE)
                        .as("before"))
                .from(p)
                .asTable("q");
        return dsl.select(Stream.of(p.fields()).map(q::field).toList())
                .from(q)
                .where(DSL.field(DSL.name("before"), Long.class).lt((long) Portion.BYTES))
                .orderBy(order);
    }
}
