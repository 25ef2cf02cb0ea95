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
 * What a process keeps for all its engines, and after they are closed: each static collection says here by what it is
 * bounded. One that grows with what an application sends is a leak.
 */
class StaticStateTest {
    private static final List<Class<?>> MODULES = List.of(
            Durable.class,
            PostgresHistoryStore.class,
            EmbeddedPostgres.class,
            DurableMetrics.class,
            DurableAutoConfiguration.class);

    private static final List<Class<?>> KINDS = List.of(
            Map.class, Collection.class, Cache.class, Interner.class, ClassValue.class, ThreadLocal.class);

    private static final Map<String, String> BOUNDED = Map.of();

    @Test
    void each_static_collection_is_bounded() throws Exception {
        Map<String, String> found = new TreeMap<>();
        for (Class<?> module : MODULES) {
            for (String name : classes(module)) {
                for (Field field : Class.forName(name, false, module.getClassLoader())
                        .getDeclaredFields()) {
                    if (isState(field)) {
                        String known = field.getDeclaringClass().getSimpleName() + "." + field.getName();
                        found.put(known, BOUNDED.getOrDefault(known, "not bounded, as far as this test knows"));
                    }
                }
            }
        }
        assertThat(found).isEqualTo(new TreeMap<>(BOUNDED));
    }

    /** What can never change is none. */
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
        URI source =
                module.getProtectionDomain().getCodeSource().getLocation().toURI();
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
                    .map(file -> file.substring(0, file.length() - ".class".length())
                            .replace('/', '.'))
                    .forEach(names::add);
        }
        return names;
    }
}
