package dev.durable.spring.dev;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.durable.client.DurableClient;
import dev.durable.spring.DurableAutoConfiguration;
import dev.durable.spring.app.GreetingWorkflow;
import dev.durable.spring.app.Greetings;
import dev.durable.store.HistoryStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** An application that names no database, in development and where it was meant to have one. */
@ExtendWith(OutputCaptureExtension.class)
class DurableDevTest {
    @TempDir
    private Path folder;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DurableDevAutoConfiguration.class,
                    DurableAutoConfiguration.class))
            .withInitializer(context -> AutoConfigurationPackages.register(
                    (BeanDefinitionRegistry) context.getBeanFactory(), GreetingWorkflow.class.getPackageName()))
            .withBean("greetings", Greetings.class, () -> name -> "hello " + name);

    @Tag("slow")
    @Test
    void without_a_data_source_it_runs_on_a_server_of_its_own_that_keeps_its_data(CapturedOutput output) {
        ApplicationContextRunner here =
                application.withPropertyValues("durable.dev.data-directory=" + folder.resolve("data"));
        here.run(context -> {
            assertThat(context.getBean(DataSource.class)).isInstanceOf(HikariDataSource.class);
            var greeting = context.getBean(DurableClient.class).start(GreetingWorkflow.class, "g-1", w -> w.run("ann"));
            assertThat(greeting.result(Duration.ofSeconds(30))).isEqualTo("hello ann");
            assertThat(output)
                    .containsOnlyOnce("no DataSource is configured: running on the embedded PostgreSQL, for development"
                            + " only, at jdbc:postgresql://127.0.0.1:");
        });
        withNothingOfBoots()
                .withPropertyValues("durable.dev.data-directory=" + folder.resolve("data"))
                .run(context -> assertThat(context.getBean(DurableClient.class)
                                .handle("g-1")
                                .resultAs(String.class))
                        .isEqualTo("hello ann"));
    }

    /** One dependency only: no other configuration makes a DataSource. */
    private static ApplicationContextRunner withNothingOfBoots() {
        return new ApplicationContextRunner()
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.jdbc"))
                .withConfiguration(
                        AutoConfigurations.of(DurableDevAutoConfiguration.class, DurableAutoConfiguration.class));
    }

    @Test
    void with_a_profile_of_production_it_does_not_start_and_says_what_to_do() {
        application
                .withPropertyValues(
                        "spring.profiles.active=eu,production", "durable.dev.data-directory=" + folder.resolve("data"))
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(folder.resolve("data")).doesNotExist();
                    var analysis = new EmbeddedPostgresRefusedAnalyzer().analyze(context.getStartupFailure());
                    assertThat(analysis).isNotNull();
                    assertThat(analysis.getDescription())
                            .isEqualTo("No DataSource is configured, and the embedded PostgreSQL, which"
                                    + " durable-embedded-postgres on the class path offers for development, is not"
                                    + " started as the profile \"production\" is active: the application would begin on"
                                    + " an empty database without backups.");
                    assertThat(analysis.getAction())
                            .isEqualTo("Set spring.datasource.url (usual cause: the configuration of this environment"
                                    + " was not found). Take durable-embedded-postgres off the class path of what is"
                                    + " deployed: scope test, developmentOnly, or an optional dependency. If this is a"
                                    + " development machine after all, leave \"production\" out of"
                                    + " durable.dev.forbidden-profiles.");
                });
        application
                .withPropertyValues(
                        "spring.profiles.default=production", "durable.dev.data-directory=" + folder.resolve("data"))
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasRootCauseInstanceOf(EmbeddedPostgresRefusedException.class));
        for (String profile : List.of("PROD", "Production", "eu,pRoD")) {
            application
                    .withPropertyValues(
                            "spring.profiles.active=" + profile, "durable.dev.data-directory=" + folder.resolve("data"))
                    .run(context -> assertThat(context)
                            .getFailure()
                            .hasRootCauseInstanceOf(EmbeddedPostgresRefusedException.class));
        }
        application
                .withPropertyValues("spring.profiles.active=live", "durable.dev.forbidden-profiles=live")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasRootCauseInstanceOf(EmbeddedPostgresRefusedException.class));
    }

    /** The addresses of the databases do not matter: nothing of Durable connects. */
    @Test
    void whatever_names_a_database_comes_first() {
        ApplicationContextRunner bare = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(DurableDevAutoConfiguration.class));
        bare.withBean(HistoryStore.class, InMemoryHistoryStore::new)
                .run(context -> assertThat(context).doesNotHaveBean(EmbeddedPostgres.class));
        bare.withBean(
                        "marked",
                        DataSource.class,
                        HikariDataSource::new,
                        bean -> ((AbstractBeanDefinition) bean).setDefaultCandidate(false))
                .run(context -> assertThat(context).doesNotHaveBean(EmbeddedPostgres.class));
        bare.withPropertyValues("durable.dev.embedded-postgres=false")
                .run(context -> assertThat(context).doesNotHaveBean(EmbeddedPostgres.class));
        bare.withPropertyValues("durable.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(EmbeddedPostgres.class));

        ApplicationContextRunner boots =
                bare.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class));
        boots.withPropertyValues("spring.datasource.url=jdbc:postgresql://127.0.0.1:1/nowhere")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(EmbeddedPostgres.class));
        boots.withBean(JdbcConnectionDetails.class, Elsewhere::new)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(EmbeddedPostgres.class));
    }

    @Test
    void the_data_is_in_the_build_folder_or_apart_for_each_user_and_application() throws Exception {
        Path work = Files.createDirectory(folder.resolve("work"));
        UserState ann = state(Map.of("XDG_STATE_HOME", "/state"), "Linux", folder);
        assertThat(DataDirectory.choose(Path.of("here"), work, ann, "shop")).isEqualTo(Path.of("here"));
        assertThat(DataDirectory.choose(null, work, ann, "my/shop"))
                .isEqualTo(Path.of("/state/durable/postgres/my_shop"));
        Files.createFile(work.resolve("build.gradle.kts"));
        assertThat(DataDirectory.choose(null, work, ann, "shop")).isEqualTo(work.resolve("build/durable-postgres"));
        Files.createFile(work.resolve("pom.xml"));
        assertThat(DataDirectory.choose(null, work, ann, "shop")).isEqualTo(work.resolve("target/durable-postgres"));
    }

    @Test
    void outside_of_a_project_the_data_is_where_the_users_programs_keep_their_state() {
        assertThat(state(Map.of(), "Linux", folder).directory())
                .isEqualTo(folder.resolve(".local/state/durable/postgres"));
        assertThat(state(Map.of("XDG_STATE_HOME", "relative"), "Linux", folder).directory())
                .isEqualTo(folder.resolve(".local/state/durable/postgres"));
        assertThat(state(Map.of(), "Mac OS X", folder).directory())
                .isEqualTo(folder.resolve("Library/Application Support/durable/postgres"));
        assertThat(state(Map.of(), "Windows 11", folder).directory())
                .isEqualTo(folder.resolve("AppData/Local/durable/postgres"));
        assertThat(state(Map.of(), "Linux", Path.of("?")).directory())
                .as("a container whose user has no home")
                .isEqualTo(Path.of("/tmp-of-all/durable-postgres-ann"));
        assertThat(state(Map.of(), "Linux", Path.of("/nonexistent")).directory())
                .isEqualTo(Path.of("/tmp-of-all/durable-postgres-ann"));
    }

    private static UserState state(Map<String, String> environment, String system, Path home) {
        Properties properties = new Properties();
        properties.setProperty("os.name", system);
        properties.setProperty("user.home", home.toString());
        properties.setProperty("user.name", "ann");
        properties.setProperty("java.io.tmpdir", "/tmp-of-all");
        return new UserState(environment, properties);
    }

    /** As a service connection of Testcontainers or Docker Compose gives them. */
    private static final class Elsewhere implements JdbcConnectionDetails {
        @Override
        public String getUsername() {
            return "ann";
        }

        @Override
        public String getPassword() {
            return "secret";
        }

        @Override
        public String getJdbcUrl() {
            return "jdbc:postgresql://127.0.0.1:1/nowhere";
        }
    }
}
