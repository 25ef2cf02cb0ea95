package dev.durable.spring.actuate;

import dev.durable.store.HistoryStore;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.Schema;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.Properties;

/** Which version of the tables, and of Durable, this process has. */
final class StoreVersion {
    private static final String POM = "/META-INF/maven/dev.durable/durable-spring-boot-starter/pom.properties";

    private StoreVersion() {}

    /** The version of the tables that this process works with; a store that is open has it. Empty for other stores. */
    static Optional<Integer> of(HistoryStore store) {
        return store instanceof PostgresHistoryStore ? Optional.of(Schema.version()) : Optional.empty();
    }

    /** As Maven wrote it into the jar; empty where the classes are in no jar of ours. */
    static Optional<String> ofDurable() {
        try (InputStream pom = StoreVersion.class.getResourceAsStream(POM)) {
            if (pom == null) {
                return Optional.empty();
            }
            Properties properties = new Properties();
            properties.load(pom);
            return Optional.ofNullable(properties.getProperty("version"));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
