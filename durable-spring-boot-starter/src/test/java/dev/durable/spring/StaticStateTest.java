package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Interner;
import dev.durable.Durable;
import dev.durable.micrometer.DurableMetrics;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The static state that a process keeps for all its engines, and after they are closed: each static collection is
 * listed here with its bound. One that grows with what an application sends is a leak.
 */
class StaticStateTest {
    private static final List<Class<?>> MODULES = List.of(
            Durable.class,
            PostgresHistoryStore.class,
            EmbeddedPostgres.class,
            DurableMetrics.class,
            DurableAutoConfiguration.class);

    private static final List<Class<?>> KINDS =
            List.of(Map.class, Collection.class, Cache.class, Interner.class, ClassValue.class, ThreadLocal.class);

    private static final String WITH_CLASS = "goes with the class that it is about";

    private static final Map<String, String> BOUNDED = Map.ofEntries(
            Map.entry("BackgroundOptions.ANSWERS", "by bytes"),
            Map.entry("CallTable.TABLES", WITH_CLASS),
            Map.entry("Calls.HANDLES", WITH_CLASS),
            Map.entry("CurrentActivity.CURRENT", "one a thread, removed behind the body"),
            Map.entry("DirectoryLock.THREADS", "by the threads that have or want a lock"),
            Map.entry("DurableCalls.CURRENT", "one a thread, removed behind the turn"),
            Map.entry("EmbeddedServer.OPEN", "by the servers that are open"),
            Map.entry("EmptyObjects.MAKERS", WITH_CLASS),
            Map.entry("EnqueuedOptions.READ", "by bytes"),
            Map.entry("ExceptionFields.FIELDS", WITH_CLASS),
            Map.entry("HeapShare.OPEN", "by the engines that are open"),
            Map.entry("JdkExceptions.KNOWN", WITH_CLASS),
            Map.entry("Loop.CURRENT", "one a thread of a loop"),
            Map.entry("MethodTable.TABLES", WITH_CLASS),
            Map.entry("OptionsAtCallSite.IN_THE_ROW", "constant"),
            Map.entry("OptionsJson.READ", "by bytes"),
            Map.entry("OptionsJson.SHARED", "weak: goes with the options that it is about"),
            Map.entry("OptionsJson.WRITTEN", "by bytes"),
            Map.entry("Rendering.TEMPLATES", "by the statements of the code, for each schema that was opened"),
            Map.entry("RicherThanJson.LOSSES", "constant"),
            Map.entry("TestServer.IDLE", "by the connections of tests that were open at once"),
            Map.entry("RunThreads.LOGGED", "by number, and each entry by the bounds of an id and of a line of code"),
            Map.entry("ThrowableConstructors.CONSTRUCTORS", WITH_CLASS));

    @Test
    void each_static_collection_is_bounded() throws Exception {
        Map<String, String> found = new TreeMap<>();
        for (Class<?> module : MODULES) {
            for (String name : classes(module)) {
                for (Field field :
                        Class.forName(name, false, module.getClassLoader()).getDeclaredFields()) {
                    if (isState(field)) {
                        String known = field.getDeclaringClass().getSimpleName() + "." + field.getName();
                        found.put(known, BOUNDED.getOrDefault(known, "not bounded, as far as this test knows"));
                    }
                }
            }
        }
        assertThat(found).isEqualTo(new TreeMap<>(BOUNDED));
    }

    /** Returns whether a field is state: one that can never change is none. */
    private static boolean isState(Field field) throws IllegalAccessException {
        if (!Modifier.isStatic(field.getModifiers())
                || field.isSynthetic()
                || KINDS.stream().noneMatch(kind -> kind.isAssignableFrom(field.getType()))) {
            return false;
        }
        field.setAccessible(true);
        Object value = field.get(null);
        return value == null || !value.getClass().getName().startsWith("java.util.ImmutableCollections");
    }

    private static List<String> classes(Class<?> module) throws Exception {
        URI source = module.getProtectionDomain().getCodeSource().getLocation().toURI();
        if (Files.isDirectory(Path.of(source))) {
            return classes(Path.of(source));
        }
        try (FileSystem jar = FileSystems.newFileSystem(Path.of(source))) {
            return classes(jar.getPath("/"));
        }
    }

    private static List<String> classes(Path root) throws Exception {
        List<String> names = new ArrayList<>();
        try (Stream<Path> files = Files.walk(root.resolve("dev/durable"))) {
            files.map(file -> root.relativize(file).toString())
                    .filter(file -> file.endsWith(".class")
                            && !file.endsWith("-info.class")
                            && !file.contains("/internal/jooq/"))
                    .map(file ->
                            file.substring(0, file.length() - ".class".length()).replace('/', '.'))
                    .forEach(names::add);
        }
        return names;
    }
}
