package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.StoreUnavailableException;
import dev.durable.store.contract.FaultyStore.Fault;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.memory.VirtualClock;
import org.junit.jupiter.api.Test;

/** The tool that breaks stores for tests. */
class FaultyStoreTest {
    private final FaultyStore faulty = FaultyStore.over(InMemoryHistoryStore.on(new VirtualClock()));

    @Test
    void faults_come_one_after_another_and_then_no_more() {
        faulty.next("now", Fault.UNAVAILABLE, Fault.UNAVAILABLE);

        assertThatThrownBy(() -> faulty.store().now()).isInstanceOf(StoreUnavailableException.class);
        assertThat(faulty.allSeen()).isFalse();
        assertThatThrownBy(() -> faulty.store().now()).isInstanceOf(StoreUnavailableException.class);
        assertThat(faulty.store().now()).isNotNull();
        assertThat(faulty.allSeen()).isTrue();
    }

    @Test
    void a_misspelt_method_is_refused() {
        assertThatThrownBy(() -> faulty.next("comit", Fault.UNAVAILABLE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no method comit")
                .hasMessageContaining("commit");
    }

    @Test
    void errors_of_the_store_behind_come_through_as_they_are() {
        assertThatThrownBy(() -> faulty.store().claimRuns(null)).isInstanceOf(NullPointerException.class);
    }
}
