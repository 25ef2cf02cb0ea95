package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.SessionInfo;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A row of a session that was changed by hand hides no other: whatever it contains, all sessions are listed. */
@Tag("slow")
class FuzzedSessionTest extends StoreContract {
    private static final int ROWS = 200;
    private static final List<String> ELEMENTS =
            List.of("a", "a", "NULL", "\"\"", "\"a b\"", "\"{\"", "\"\\\"\"", "\"ö😀\"", "\"x\ny\"");

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    @Test
    void whatever_stands_in_their_rows_all_are_listed() {
        Random random = new Random(3);
        String rows = IntStream.range(0, ROWS)
                .mapToObj(i -> "(gen_random_uuid(), 0, durable.clock(), false, interval '1 hour', " + identity(random)
                        + ", " + array(random) + ", " + array(random) + ")")
                .collect(Collectors.joining(","));
        Sql.execute(
                PostgresFixture.pool(),
                "insert into durable.session (id, beat, started_at, dead, lease, identity, queues, activities) values "
                        + rows);

        assertThat(store.sessions())
                .hasSize(ROWS + 1)
                .extracting(SessionInfo::session)
                .contains(session);

        Sql.execute(PostgresFixture.pool(), "delete from durable.session where id <> '" + session + "'");
    }

    private static String identity(Random random) {
        return random.nextBoolean() ? "''" : "repeat(E'\\n\\u2028x', " + random.nextInt(1_000) + ")";
    }

    /** A random array of one dimension or two, with elements that repeat or are no names. */
    private static String array(Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> "null";
            case 1 -> "'{{a,b},{a,NULL}}'";
            case 2 -> "'{}'";
            default ->
                "'{"
                        + random.ints(1 + random.nextInt(6), 0, ELEMENTS.size())
                                .mapToObj(ELEMENTS::get)
                                .collect(Collectors.joining(","))
                        + "}'";
        };
    }
}
