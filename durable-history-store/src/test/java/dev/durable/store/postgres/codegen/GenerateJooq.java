package dev.durable.store.postgres.codegen;

import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.testing.TestDatabase;
import java.nio.file.Path;
import org.jooq.codegen.GenerationTool;
import org.jooq.meta.jaxb.Configuration;
import org.jooq.meta.jaxb.Database;
import org.jooq.meta.jaxb.ForcedType;
import org.jooq.meta.jaxb.Generate;
import org.jooq.meta.jaxb.Generator;
import org.jooq.meta.jaxb.Jdbc;
import org.jooq.meta.jaxb.Target;

/**
 * Writes the jOOQ classes anew from the migrations, into the source folder it is given. They are committed, and a test
 * compares them. Run by the profile {@code jooq}; see the module's pom.
 */
public final class GenerateJooq {
    private static final String PACKAGE = "dev.durable.store.postgres.internal.jooq";

    private GenerateJooq() {}

    public static void main(String[] args) throws Exception {
        generate(Path.of(args[0]));
    }

    static void generate(Path sources) throws Exception {
        try (TestDatabase database = TestDatabase.create()) {
            PostgresHistoryStore.of(database.dataSource()).open();
            GenerationTool.generate(new Configuration()
                    .withJdbc(new Jdbc()
                            .withUrl(database.jdbcUrl())
                            .withUser(database.username())
                            .withPassword(database.password()))
                    .withGenerator(new Generator()
                            .withDatabase(tables())
                            .withGenerate(onlyColumns())
                            .withTarget(new Target().withPackageName(PACKAGE).withDirectory(sources.toString()))));
        }
    }

    /**
     * The tables that statements made with jOOQ read; all other statements are texts. They are not qualified by a schema,
     * as the {@code search_path} of each transaction names it.
     */
    private static Database tables() {
        return new Database()
                .withName("org.jooq.meta.postgres.PostgresDatabase")
                .withInputSchema("durable")
                .withOutputSchemaToDefault(true)
                .withIncludes("activity_heartbeat|activity_job|audit|history_event|inbox|notable_run|run_state|session"
                        + "|workflow_run")
                .withIncludeRoutines(false)
                .withForcedTypes(new ForcedType().withName("INSTANT").withIncludeTypes("timestamptz"));
    }

    private static Generate onlyColumns() {
        return new Generate()
                .withRecords(false)
                .withKeys(false)
                .withIndexes(false)
                .withDeprecated(false)
                .withGeneratedAnnotation(false)
                .withGlobalObjectNames(false)
                .withGlobalCatalogReferences(false)
                .withGlobalSchemaReferences(false)
                .withDefaultCatalog(false)
                .withDefaultSchema(false)
                .withAsMethodOverrides(false)
                .withRenameMethodOverrides(false)
                .withWhereMethodOverrides(false)
                .withJavadoc(false)
                .withComments(false);
    }
}
