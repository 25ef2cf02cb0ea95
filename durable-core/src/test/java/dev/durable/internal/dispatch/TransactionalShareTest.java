package dev.durable.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TransactionalShareTest {
    private final TransactionalShare share = new TransactionalShare(Set.of("Book.pay"), 8);
    private final List<String> told = new ArrayList<>();

    @BeforeEach
    void listen() {
        share.onRefill(told::add);
    }

    /** Told again and again, three idle queues would wake each other for ever. */
    @Test
    void claims_that_only_looked_tell_each_queue_that_went_without_once() {
        assertThat(share.take("a", 50)).isEqualTo(8);
        assertThat(share.take("b", 50)).isZero();
        assertThat(share.take("c", 50)).isZero();
        share.sated("a");
        share.giveBack(8);
        assertThat(told).containsExactlyInAnyOrder("b", "c");

        assertThat(share.take("b", 50)).isEqualTo(8);
        share.sated("b");
        share.giveBack(8);
        assertThat(share.take("c", 50)).isEqualTo(8);
        share.sated("c");
        share.giveBack(8);
        assertThat(told).hasSize(2);
    }

    @Test
    void who_went_without_hears_of_it_when_a_quarter_is_back() {
        assertThat(share.take("a", 8)).isEqualTo(8);
        assertThat(share.take("b", 1)).isZero();

        share.giveBack(1);
        assertThat(told).isEmpty();
        share.giveBack(1);
        assertThat(told).containsExactly("b");
    }
}
