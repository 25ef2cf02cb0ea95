package dev.durable;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.durable.internal.payload.NamedClass;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** What the core must not know, and what replay must not do. The reasons are in docs: only the store knows SQL, replay is a function. */
class ArchitectureTest {
    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("dev.durable");

    @Test
    void core_knows_neither_spring_nor_sql() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.springframework..", "java.sql..", "javax.sql..", "org.jooq..", "org.postgresql..")
                .because("only the starter knows Spring, and only the history store knows SQL")
                .allowEmptyShould(true)
                .check(CORE);
    }

    @Test
    void replay_reads_no_clock() {
        noClasses()
                .that()
                .resideInAPackage("dev.durable.internal.replay..")
                .should()
                .accessTargetWhere(readsAClock())
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(Clock.class)
                .because(
                        "the time of a run is the time of the event being fed: a clock would answer differently on replay")
                .allowEmptyShould(true)
                .check(CORE);
    }

    @Test
    void replay_draws_no_randomness_of_its_own() {
        noClasses()
                .that()
                .resideInAPackage("dev.durable.internal.replay..")
                .should()
                .accessTargetWhere(drawsUnseeded())
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(Random.class, SecureRandom.class, ThreadLocalRandom.class)
                .because("randomness is handed in, seeded by the run: what replay draws must be what was drawn before")
                .allowEmptyShould(true)
                .check(CORE);
    }

    /**
     * Each package and those that it may use, from the ground up. What users see (api) may use all, and all may use it; all
     * may use the SPI, the events and the rules of texts, too.
     */
    private static final String ROOMS = """
            text                    :
            json                    :
            history                 : text json
            store                   : text json history
            observe                 : json
            declare.type            :
            store.memory            :
            declare.object          : declare.type
            declare.option          : declare.type
            payload                 : json declare.type
            declare                 : declare.type declare.object declare.option
            intercept               : payload
            drive                   : observe intercept
            retry                   : drive
            commit                  : drive
            replay.match            : payload declare intercept
            replay.coroutine        : declare.type payload replay.match intercept
            replay.call             : declare.type payload declare retry replay.match replay.coroutine intercept
            replay                  : declare.type payload declare replay.match replay.coroutine replay.call intercept
            client.access           : payload declare replay.call intercept
            client.operate          : declare.type payload declare client.access
            attempt                 : json observe declare.type payload declare drive retry commit intercept
            client                  : json declare.type declare.object payload declare replay client.access client.operate intercept
            dispatch                : observe drive commit attempt
            run                     : observe payload declare drive commit replay.match replay.call replay attempt intercept
            upkeep                  : observe drive attempt
            engine                  : observe payload declare drive commit replay.match replay client.access attempt client dispatch run upkeep intercept
            """;

    private static final Set<String> API =
            Set.of("dev.durable", "dev.durable.client", "dev.durable.intercept", "dev.durable.observe");

    @Test
    void each_package_uses_only_what_the_table_allows() {
        Map<String, String> names = new HashMap<>();
        CORE.forEach(type -> {
            String name = type.getPackageName();
            names.put(name, API.contains(name) ? "api" : name.replaceFirst("^dev\\.durable\\.(internal\\.)?", ""));
        });
        assertThat(new Rooms(ROOMS, Set.of("api"), Set.of("store", "history", "text")).violations(CORE, names))
                .isEmpty();
    }

    @Test
    void only_one_place_loads_classes_by_name() {
        noClasses()
                .that(describe("are not NamedClass", type -> !type.isEquivalentTo(NamedClass.class)))
                .should()
                .accessTargetWhere(loadsByName())
                .because(
                        "a name out of a row or payload must not choose what is loaded or initialised: NamedClass finds"
                                + " those that are declared, and initialises none")
                .check(CORE);
    }

    /** {@code forName(String)} of the JDK's own factory stays allowed, to those two who name it by a constant. */
    private static DescribedPredicate<JavaAccess<?>> loadsByName() {
        Set<String> factories = Set.of(
                "dev.durable.internal.payload.ThrowableConstructors",
                "dev.durable.internal.declare.object.EmptySubclass");
        return describe("loads a class by its name", access -> {
            String target = access.getTargetOwner().getName() + "." + access.getName();
            return switch (target) {
                case "java.lang.Class.forName" ->
                    !factories.contains(access.getOriginOwner().getName())
                            || !access.getTarget().getFullName().equals("java.lang.Class.forName(java.lang.String)");
                case "java.lang.invoke.MethodHandles$Lookup.findClass",
                        "tools.jackson.databind.DeserializationContext.findClass",
                        "tools.jackson.databind.type.TypeFactory.findClass",
                        "tools.jackson.databind.type.TypeFactory.constructFromCanonical",
                        "java.util.ServiceLoader.load" -> true;
                default ->
                    Set.of("loadClass", "findClass").contains(access.getName())
                            && access.getTargetOwner().isAssignableTo(ClassLoader.class);
            };
        });
    }

    private static DescribedPredicate<JavaAccess<?>> readsAClock() {
        Set<String> system = Set.of("nanoTime", "currentTimeMillis");
        return describe("reads a clock", access -> {
            JavaClass owner = access.getTargetOwner();
            return owner.isEquivalentTo(System.class) && system.contains(access.getName())
                    || owner.getPackageName().startsWith("java.time")
                            && access.getName().equals("now");
        });
    }

    /** The seeded constructors and {@code RandomGeneratorFactory.create(seed)} stay allowed. */
    private static DescribedPredicate<JavaAccess<?>> drawsUnseeded() {
        Set<String> methods = Set.of(
                "java.util.UUID.randomUUID",
                "java.lang.Math.random",
                "java.util.random.RandomGenerator.of",
                "java.util.random.RandomGenerator.getDefault");
        return describe(
                "draws randomness without a seed",
                access -> methods.contains(access.getTargetOwner().getName() + "." + access.getName())
                        || access.getTarget().getFullName().equals("java.util.SplittableRandom.<init>()"));
    }
}
