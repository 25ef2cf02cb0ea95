package dev.durable.store.postgres.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.StoreUnavailableException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MigratedCopiesTest {
    private final List<TestDatabase> made = new ArrayList<>();
    private final Queue<Runnable> background = new ArrayDeque<>();
    private int refusals;

    private final MigratedCopies copies = new MigratedCopies(
            () -> {
                if (refusals-- > 0) {
                    throw new StoreUnavailableException("refused");
                }
                made.add(TestDatabase.create());
                return made.getLast();
            },
            background::add);

    @AfterEach
    void drop() {
        made.forEach(TestDatabase::close);
    }

    @Test
    void from_the_second_on_the_next_is_made_in_the_background_and_nobody_gets_that_of_another() {
        TestDatabase first = copies.take();
        assertThat(background).isEmpty();
        TestDatabase second = copies.take();
        background.remove().run();
        assertThat(made).hasSize(3);

        TestDatabase third = copies.take();
        assertThat(made).containsExactly(first, second, third);
        assertThat(background).hasSize(1);
    }

    @Test
    void what_was_refused_in_the_background_is_tried_again_by_the_one_who_asks() {
        copies.take();
        copies.take();
        refusals = 1;
        background.remove().run();
        assertThat(copies.take()).isSameAs(made.getLast());
        assertThat(made).hasSize(3);
    }

    @Test
    void the_one_that_nobody_has_asked_for_is_dropped_at_the_end() {
        copies.take();
        copies.take();
        background.remove().run();
        copies.close();
        TestDatabase left = made.getLast();
        assertThatThrownBy(() -> left.dataSource().getConnection().close())
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("does not exist");
    }
}
