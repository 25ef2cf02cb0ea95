package dev.durable.samples.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pictures of packages name classes that exist: the compiler checks links only. */
class PackagePicturesTest {
    private static final Pattern DRAWN = Pattern.compile("<pre>(.*?)</pre>|\\{@code\\s([^}]*)}", Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile("(?<![\\w.#@])[A-Z][a-z]\\w*");
    private static final Pattern DECLARED =
            Pattern.compile("\\b(?:class|interface|record|enum|@interface)\\s+([A-Z]\\w*)");
    /** Names that are not of this project. */
    private static final Set<String> OF_OTHERS = Set.of(
            "Ctrl",
            "DataSource",
            "Duration",
            "Error",
            "Jackson",
            "JdbcConnectionDetails",
            "MeterRegistry",
            "Object",
            "PostgreSQL");

    @Test
    void each_class_that_a_package_draws_or_names_exists() throws IOException {
        List<Path> sources = sources();
        Set<String> known = new TreeSet<>(OF_OTHERS);
        for (Path source : sources) {
            known.addAll(found(DECLARED, 1, Files.readString(source)));
        }
        Set<String> missing = new TreeSet<>();
        for (Path source : sources) {
            if (source.endsWith("package-info.java") && source.toString().contains("/src/main/")) {
                String drawn = DRAWN.matcher(Files.readString(source))
                        .results()
                        .map(MatchResult::group)
                        .collect(Collectors.joining(" "));
                found(NAME, 0, drawn).stream()
                        .filter(name -> !known.contains(name))
                        .forEach(name -> missing.add(name + " in " + Documents.ROOT.relativize(source)));
            }
        }

        assertThat(missing).isEmpty();
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(Documents.ROOT)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.toString().contains("/target/"))
                    .toList();
        }
    }

    private static Set<String> found(Pattern pattern, int group, String text) {
        return pattern.matcher(text).results().map(match -> match.group(group)).collect(Collectors.toSet());
    }
}
