package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ReusePolicy;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many starts of one id in one batch, all of which the reuse policy refuses: a webhook that is delivered again and again. */
class BreakStormTest extends StoreContract {

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    @Test
    void each_is_refused() {
        RunKey closed = started("order-1");
        terminated(closed);
        List<NewRun> starts = IntStream.range(0, 64)
                .mapToObj(i ->
                        newRun("order-1").reuse(ReusePolicy.REJECT_DUPLICATE).build())
                .toList();
        long began = System.nanoTime();
        try {
            assertThat(store.start(starts)).hasOnlyElementsOfType(StartOutcome.Refused.class);
        } finally {
            System.out.println("storm took " + (System.nanoTime() - began) / 1_000_000 + " ms");
        }
    }
}
