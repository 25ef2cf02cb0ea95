package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.store.StoreProvider;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the embedded server, which does not know this store, finds it as a provider. */
class EmbeddedStoreTest {
    @TempDir
    Path folder;

    /** Says hello. */
    @Workflow
    static class Hello {
        @Run
        String run(String name) {
            return "hello " + name;
        }
    }

    @Test
    void an_engine_is_built_on_the_embedded_server_itself() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.at(folder);
                DurableEngine engine =
                        DurableEngine.builder(postgres).register(Hello.class).start()) {
            var hello = engine.client().start(Hello.class, "hello-1", w -> w.run("ann"));
            assertThat(hello.result()).isEqualTo("hello ann");
            assertThat(postgres.historyStore())
                    .isInstanceOf(PostgresHistoryStore.class)
                    .isSameAs(postgres.historyStore());
        }
    }

    @Test
    void what_is_no_database_of_this_kind_gets_no_store() {
        assertThat(ServiceLoader.load(StoreProvider.class))
                .singleElement()
                .satisfies(
                        provider -> assertThat(provider.storeOn("a directory")).isEmpty());
    }
}
