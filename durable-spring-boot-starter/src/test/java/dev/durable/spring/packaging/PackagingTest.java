package dev.durable.spring.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.spring.packaging.Application.Ended;
import dev.durable.store.postgres.testing.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.springframework.boot.loader.launch.JarLauncher;

/**
 * One application (workflow and activity as classes, a record as payload, the store on PostgreSQL) in each form in which
 * applications are shipped. Each is a process of its own that has the production class path and nothing else.
 */
@Execution(ExecutionMode.CONCURRENT)
class PackagingTest {
    private static final String RESULT = "result: Receipt[code=paid 42]";

    /** Workflow code and its activity in a package of which only the module-info decides what others see. */
    private static final Map<String, String> ORDERS = Map.of(
            "acme/orders/Order", """
            package acme.orders;
            @dev.durable.Workflow
            public class Order {
                private final Payments payments;
                public Order(Payments payments) { this.payments = payments; }
                @dev.durable.Run public Receipt run(int amount) { return payments.charge(amount); }
            }""",
            "acme/orders/Receipt", """
            package acme.orders;
            public record Receipt(String code) {}""",
            "acme/orders/Payments", """
            package acme.orders;
            @dev.durable.Activity
            public class Payments {
                public Receipt charge(int amount) { return new Receipt("paid " + amount); }
            }""");

    private static final String MAIN = """
            package acme.main;
            import acme.orders.*;
            import dev.durable.client.DurableEngine;
            import dev.durable.store.postgres.PostgresHistoryStore;
            public class Main {
                public static void main(String[] database) throws Exception {
                    var pool = new com.zaxxer.hikari.HikariDataSource();
                    pool.setJdbcUrl(database[0]);
                    pool.setUsername(database[1]);
                    pool.setPassword(database[2]);
                    try (pool; var engine = DurableEngine.builder(PostgresHistoryStore.of(pool))
                            .register(Order.class, new Payments()).start()) {
                        var order = engine.client().start(Order.class, "order-1", w -> w.run(42));
                        System.out.println("result: " + order.result());
                    }
                }
            }""";

    private static final String SPRING_MAIN = """
            package acme;
            import acme.orders.*;
            import dev.durable.client.DurableClient;
            import org.springframework.boot.SpringApplication;
            import org.springframework.boot.autoconfigure.SpringBootApplication;
            import org.springframework.context.annotation.Bean;
            @SpringBootApplication
            public class SpringMain {
                private static String[] database;
                @Bean javax.sql.DataSource dataSource() {
                    var pool = new com.zaxxer.hikari.HikariDataSource();
                    pool.setJdbcUrl(database[0]);
                    pool.setUsername(database[1]);
                    pool.setPassword(database[2]);
                    return pool;
                }
                @Bean Payments payments() { return new Payments(); }
                public static void main(String[] arguments) {
                    database = arguments;
                    try (var context = SpringApplication.run(SpringMain.class)) {
                        var client = context.getBean(DurableClient.class);
                        System.out.println("result: " + client.start(Order.class, "order-1", w -> w.run(42)).result());
                    }
                }
            }""";

    @TempDir
    Path folder;

    @Test
    void on_the_class_path() throws Exception {
        List<Path> path = new ArrayList<>(plainJars());
        path.add(application().compile(with("acme/main/Main", MAIN), "--class-path", path));

        assertCompletes(ended(List.of("-cp", Application.joined(path), "acme.main.Main")));
    }

    /** A module that only its manifest names does not say what it requires: what only such use must be asked for. */
    @Test
    void on_the_module_path_with_the_package_open() throws Exception {
        assertCompletes(module("opens acme.orders to dev.durable, tools.jackson.databind;"));
    }

    @Test
    void on_the_module_path_with_the_package_closed_the_line_is_named() throws Exception {
        Ended refused = module("");
        assertThat(refused.code()).as(refused.said()).isOne();
        assertThat(refused.said())
                .contains("acme.orders.Order is a class of module acme.app, which does not open its package to Durable")
                .contains("Add \"opens acme.orders to dev.durable;\" to the module-info of acme.app");
    }

    @Test
    void in_the_jar_that_spring_boot_makes() throws Exception {
        List<Path> jars = ProductionClassPath.resolved().jars(folder);
        List<Path> path = new ArrayList<>(jars);
        path.add(starter());
        Path classes = application().compile(with("acme/SpringMain", SPRING_MAIN), "--class-path", path);
        Path application = folder.resolve("application.jar");
        try (OutputStream file = Files.newOutputStream(application);
                JarOutputStream out = new JarOutputStream(
                        file,
                        ProductionClassPath.manifest(
                                "Main-Class", JarLauncher.class.getName(),
                                "Start-Class", "acme.SpringMain",
                                "Spring-Boot-Classes", "BOOT-INF/classes/",
                                "Spring-Boot-Lib", "BOOT-INF/lib/"))) {
            addLoader(out);
            ProductionClassPath.add(out, "BOOT-INF/classes/", classes);
            for (Path jar : path) {
                addStored(out, "BOOT-INF/lib/" + jar.getFileName(), Files.readAllBytes(jar));
            }
        }

        assertCompletes(ended(List.of("-jar", application.toString())));
    }

    private static void assertCompletes(Ended ended) {
        assertThat(ended.said()).contains(RESULT);
        assertThat(ended.code()).isZero();
        // Only listings are jOOQ's: a process that lists nothing starts without its two thousand classes.
        assertThat(ended.loaded())
                .contains(" dev.durable.store.postgres.internal.read.Listings ")
                .doesNotContain(" org.jooq.impl.DSL ", "internal.jooq.");
    }

    private Ended module(String opens) throws IOException, InterruptedException {
        List<Path> path = new ArrayList<>(plainJars());
        Map<String, String> sources = with("acme/main/Main", MAIN);
        sources.put("module-info", """
                module acme.app {
                    requires dev.durable;
                    requires dev.durable.store.postgres;
                    requires com.zaxxer.hikari;
                    requires java.sql;
                    %s
                }""".formatted(opens));
        path.add(application().compile(sources, "--module-path", path));
        return ended(List.of(
                "-p",
                Application.joined(path),
                "--add-modules",
                "ALL-MODULE-PATH,jdk.unsupported",
                "-m",
                "acme.app/acme.main.Main"));
    }

    private Application application() {
        return new Application(folder);
    }

    private Ended ended(List<String> arguments) throws IOException, InterruptedException {
        try (TestDatabase database = TestDatabase.create()) {
            List<String> all = new ArrayList<>(arguments);
            all.addAll(List.of(database.jdbcUrl(), database.username(), database.password()));
            return application().run(all);
        }
    }

    private List<Path> plainJars() throws IOException {
        return ProductionClassPath.resolved().withoutSpring().jars(folder);
    }

    private Path starter() throws IOException {
        Path classes = Path.of(dev.durable.spring.DurableAutoConfiguration.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
        return ProductionClassPath.jar(
                folder.resolve("durable-spring-boot-starter.jar"), ProductionClassPath.manifest(), classes);
    }

    private static Map<String, String> with(String name, String source) {
        Map<String, String> sources = new HashMap<>(ORDERS);
        sources.put(name, source);
        return sources;
    }

    /** The launcher's classes stand at the root of the jar. */
    private static void addLoader(JarOutputStream out) throws IOException {
        String loader = JarLauncher.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        try (JarFile jar = new JarFile(loader)) {
            Enumeration<JarEntry> entries = jar.entries();
            while (entries.hasMoreElements()) {
                JarEntry entry = entries.nextElement();
                if (entry.getName().startsWith("org/")) {
                    out.putNextEntry(new JarEntry(entry.getName()));
                    try (InputStream in = jar.getInputStream(entry)) {
                        in.transferTo(out);
                    }
                    out.closeEntry();
                }
            }
        }
    }

    /** Nested jars are not compressed: Spring Boot's launcher reads them where they are. */
    private static void addStored(JarOutputStream out, String name, byte[] bytes) throws IOException {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        JarEntry entry = new JarEntry(name);
        entry.setMethod(JarEntry.STORED);
        entry.setSize(bytes.length);
        entry.setCrc(crc.getValue());
        out.putNextEntry(entry);
        out.write(bytes);
        out.closeEntry();
    }
}
