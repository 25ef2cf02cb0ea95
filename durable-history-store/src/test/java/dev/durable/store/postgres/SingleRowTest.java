package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SingleRowTest {
    @Test
    void a_table_of_arrays_becomes_the_row_of_their_first_elements() {
        assertThat(SingleRow.of(
                        "select 1 from unnest(?::uuid[], ?::int[],\n ?::text[]) as u(run_id, seq, note) where true"))
                .isEqualTo(
                        "select 1 from (values ((?::uuid[])[1], (?::int[])[1],\n (?::text[])[1])) as u(run_id, seq, note)"
                                + " where true");
    }

    @Test
    void what_is_no_table_of_parameters_stays() {
        String sql = "select array(select s from unnest(l.starts) as s) from l where l.id = any(?::uuid[])";
        assertThat(SingleRow.of(sql)).isEqualTo(sql);
        String numbered = "select u.place from unnest(?::int[]) with ordinality as u(a, place)";
        assertThat(SingleRow.of(numbered)).isEqualTo(numbered);
    }

    @Test
    void a_script_takes_it_where_every_array_has_one_element() {
        String sql = "select u.a from unnest(?::int[]) as u(a)";
        assertThat(new Script.Statement(sql, row -> {}, new Param[] {Param.ints(List.of(7), i -> i)}).text())
                .doesNotContain("unnest");
        assertThat(new Script.Statement(sql, row -> {}, new Param[] {Param.ints(List.of(7, 8), i -> i)}).text())
                .isEqualTo(sql);
        assertThat(new Script.Statement(sql, row -> {}, new Param[] {Param.ints(List.<Integer>of(), i -> i)}).text())
                .isEqualTo(sql);
    }
}
