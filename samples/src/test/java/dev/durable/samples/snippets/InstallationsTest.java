package dev.durable.samples.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.DurableEngine;
import dev.durable.client.Installation;
import dev.durable.client.Installation.OpenWork;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.testing.TestDatabase;
import java.math.BigDecimal;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How an installation is named, and a copy of its database adopted. */
@Tag("slow")
class InstallationsTest {
    @Test
    void aCopyIsAdopted() {
        try (TestDatabase original = TestDatabase.create()) {
            DataSource dataSource = original.dataSource();
            // docs: installation
            try (DurableEngine engine = DurableEngine.builder(PostgresHistoryStore.of(dataSource))
                    .installation("prod")
                    .register(OrderWorkflow.class, new StripePayments())
                    .start()) {
                // docs: end
                engine.client().start(OrderWorkflow.class, "order-7", w -> w.run(new Order("7", BigDecimal.TEN)));
                // docs: installation
            }
            // docs: end
            try (TestDatabase refreshed = TestDatabase.copyOf(original)) {
                DataSource copy = refreshed.dataSource();
                // docs: adopt
                long ended = Installation.of(PostgresHistoryStore.of(copy))
                        .by("ann") // for the audit
                        .adopt("staging", OpenWork.CANCEL);
                // docs: end
                assertThat(ended).isOne();
            }
        }
    }
}
