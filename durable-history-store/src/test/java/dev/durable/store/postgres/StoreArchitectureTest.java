package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.durable.Rooms;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests which package of the store may use which. */
class StoreArchitectureTest {
    private static final JavaClasses STORE = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/") && !location.contains("/durable-core/"))
            .importPackages("dev.durable.store.postgres");

    /**
     * Each package and those that it may use, from the ground up. The public package may use all, and all may use it.
     */
    private static final String ROOMS = """
            sql                     :
            nudge                   : sql
            schema                  : sql
            message                 : sql nudge
            stream                  : sql nudge
            job                     : sql nudge message stream
            queue                   : sql job
            run                     : sql nudge message stream job
            read                    : sql job run
            transaction             : sql nudge message job run
            upkeep                  : sql nudge schema job run
            """;

    @Test
    void each_package_uses_only_what_the_table_allows() {
        String internal = "dev.durable.store.postgres.internal.";
        Map<String, String> names = new HashMap<>();
        STORE.forEach(type -> {
            String name = type.getPackageName();
            names.put(
                    name,
                    name.startsWith(internal) && !name.startsWith(internal + "jooq")
                            ? name.substring(internal.length())
                            : "api");
        });
        assertThat(new Rooms(ROOMS, Set.of("api"), Set.of()).violations(STORE, names))
                .isEmpty();
    }
}
