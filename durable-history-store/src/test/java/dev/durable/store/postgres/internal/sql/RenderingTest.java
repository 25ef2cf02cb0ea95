package dev.durable.store.postgres.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.postgres.internal.sql.Rendering.Value;
import org.junit.jupiter.api.Test;

class RenderingTest {
    private static final Param ONE = Param.of("x");

    private static Param column(int rows) {
        return Param.ints(java.util.Collections.nCopies(rows, 7), n -> n);
    }

    @Test
    void a_table_of_one_row_is_sent_as_that_row() {
        Rendering rendering = Rendering.of(
                "select 1 from unnest(?::uuid[], ?::int[],\n ?::text[]) as u(run_id, seq, note) where true",
                1,
                column(1),
                column(1),
                column(1));
        assertThat(rendering.text())
                .isEqualTo("select 1 from (values (?::uuid, ?::int, ?::text)) as u(run_id, seq, note) where true");
        assertThat(rendering.values()).containsExactly(new Value(0, 0), new Value(1, 0), new Value(2, 0));
    }

    @Test
    void rows_are_bound_one_after_another_among_the_other_parameters() {
        Rendering rendering = Rendering.of(
                "select ? from unnest(?::int[], ?::int[]) as u(a, b) where a = any(?::int[]) and b <> ?",
                2,
                ONE,
                column(2),
                column(2),
                column(2),
                ONE);
        assertThat(rendering.text())
                .isEqualTo("select ? from (values (?::int, ?::int), (?::int, ?::int)) as u(a, b)"
                        + " where a = any(?::int[]) and b <> ?");
        assertThat(rendering.values())
                .containsExactly(
                        new Value(0, -1),
                        new Value(1, 0),
                        new Value(2, 0),
                        new Value(1, 1),
                        new Value(2, 1),
                        new Value(3, -1),
                        new Value(4, -1));
    }

    @Test
    void each_table_is_sent_by_its_own_number_of_rows() {
        String sql = "with a as (select u.a from unnest(?::int[]) as u(a)) select v.b from unnest(?::int[]) as v(b)";
        assertThat(Rendering.of(sql, 2, column(1), column(3)).text())
                .isEqualTo("with a as (select u.a from (values (?::int)) as u(a))"
                        + " select v.b from unnest(?::int[]) as v(b)");
        assertThat(Rendering.of(sql, 2, column(3), column(2)).text())
                .isEqualTo("with a as (select u.a from unnest(?::int[]) as u(a))"
                        + " select v.b from (values (?::int), (?::int)) as v(b)");
    }

    @Test
    void many_rows_and_none_are_sent_as_arrays() {
        String sql = "select u.a from unnest(?::int[]) as u(a)";
        assertThat(Rendering.of(sql, 2, column(3)).text()).isEqualTo(sql);
        assertThat(Rendering.of(sql, 2, column(0)).text()).isEqualTo(sql);
        assertThat(Rendering.of(sql, 1, column(2)).text()).isEqualTo(sql);
    }

    @Test
    void what_is_no_table_of_parameters_stays() {
        String sql = "select array(select s from unnest(l.starts) as s) from l where l.id = any(?::uuid[])";
        assertThat(Rendering.of(sql, 2, column(1)).text()).isEqualTo(sql);
        String numbered = "select u.place from unnest(?::int[]) with ordinality as u(a, place)";
        assertThat(Rendering.of(numbered, 1, column(1)).text()).isEqualTo(numbered);
    }
}
