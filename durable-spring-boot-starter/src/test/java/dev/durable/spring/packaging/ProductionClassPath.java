package dev.durable.spring.packaging;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The jars that the starter brings to an application, as Maven resolved them for this build. What is only compiled yet (as in
 * {@code mvn test}) is packed with the manifest that its {@code pom.xml} asks for.
 *
 * @param entries jars, and folders of classes
 */
record ProductionClassPath(List<Entry> entries) {
    /** {@code org.jooq:jooq:jar:3.21.7:compile:/…/jooq-3.21.7.jar -- module …}; not what is optional. */
    private static final Pattern LINE =
            Pattern.compile("\\s*([^:\\s]+:[^:\\s]+):jar:[^:]+:\\w+:(\\S++)(?! \\(optional\\)).*");

    private static final Pattern SPRING =
            Pattern.compile("(org\\.springframework.*|io\\.micrometer|commons-logging):.*");

    private static final Pattern MODULE_NAME = Pattern.compile("<java\\.module\\.name>(.*)</java\\.module\\.name>");

    /** @param artifact group and name */
    record Entry(String artifact, Path file) {}

    static ProductionClassPath resolved() throws IOException {
        try (InputStream listed = ProductionClassPath.class.getResourceAsStream("/runtime-dependencies.txt");
                BufferedReader lines = new BufferedReader(
                        new InputStreamReader(Objects.requireNonNull(listed), StandardCharsets.UTF_8))) {
            return new ProductionClassPath(lines.lines()
                    .map(LINE::matcher)
                    .filter(Matcher::matches)
                    .map(line -> new Entry(line.group(1), Path.of(line.group(2))))
                    .toList());
        }
    }

    /** Core, store and what they need. */
    ProductionClassPath withoutSpring() {
        return new ProductionClassPath(entries.stream()
                .filter(entry -> !SPRING.matcher(entry.artifact()).matches())
                .toList());
    }

    /** Durable's own. */
    ProductionClassPath ours() {
        return new ProductionClassPath(entries.stream()
                .filter(entry -> entry.artifact().startsWith("dev.durable:"))
                .toList());
    }

    /** All as jars; those that are made are made in a folder. */
    List<Path> jars(Path folder) throws IOException {
        List<Path> jars = new ArrayList<>();
        for (Entry entry : entries) {
            jars.add(Files.isDirectory(entry.file()) ? packed(entry, folder) : entry.file());
        }
        return jars;
    }

    private static Path packed(Entry entry, Path folder) throws IOException {
        Path jar = folder.resolve(entry.artifact().replaceFirst(".*:", "") + ".jar");
        if (!Files.exists(jar)) {
            jar(jar, manifest("Automatic-Module-Name", moduleName(entry.file())), entry.file());
        }
        return jar;
    }

    private static String moduleName(Path classes) throws IOException {
        Path module = classes;
        while (!Files.exists(module.resolve("pom.xml"))) {
            module = module.getParent();
        }
        Matcher name = MODULE_NAME.matcher(Files.readString(module.resolve("pom.xml")));
        if (!name.find()) {
            throw new IllegalStateException(module + " has no java.module.name in its pom.xml");
        }
        return name.group(1);
    }

    static Manifest manifest(String... namesAndValues) {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        for (int i = 0; i < namesAndValues.length; i += 2) {
            manifest.getMainAttributes().putValue(namesAndValues[i], namesAndValues[i + 1]);
        }
        return manifest;
    }

    static Path jar(Path jar, Manifest manifest, Path classes) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest)) {
            add(out, "", classes);
        }
        return jar;
    }

    /** A folder with all that is in it, below a prefix. What scans a jar goes by the entries of its folders. */
    static void add(JarOutputStream out, String prefix, Path classes) throws IOException {
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                boolean directory = Files.isDirectory(file);
                String name = prefix + classes.relativize(file) + (directory && !file.equals(classes) ? "/" : "");
                if (!name.isEmpty() && !name.equals("META-INF/MANIFEST.MF")) {
                    out.putNextEntry(new JarEntry(name));
                    if (!directory) {
                        Files.copy(file, out);
                    }
                    out.closeEntry();
                }
            }
        }
    }
}
