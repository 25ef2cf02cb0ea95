package dev.durable.store.postgres.embedded;

import dev.durable.StoreUnavailableException;
import dev.durable.fuzz.Fuzz;
import dev.durable.internal.text.JdbcUrl;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** URLs from the environment, changed at random. */
class FuzzedUrlTest {
    @Test
    void urls() {
        List<String> recorded = List.of(
                "jdbc:postgresql://db.example.org:5432/orders?user=ann&password=s3cret&ssl=false",
                "jdbc:postgresql://h1:1,[::1]:2/db?targetServerType=primary&options=-c%20search_path=x",
                "jdbc:postgresql:orders",
                "postgres://ann:s3cret@host/orders");
        Fuzz.of("URLs", recorded)
                .through(
                        url -> PostgresSource.simpleDataSource(url, Map.of()),
                        List.of(StoreUnavailableException.class));
        Fuzz.of("URLs as they are shown", recorded).through(JdbcUrl::withoutSecrets, List.of());
    }
}
