package dev.durable.spring.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The jars of this class path, which are all that Durable brings and what its tests add, against a list of bad versions. */
class KnownBadVersionsTest {
    private static final Pattern JAR = Pattern.compile("(.+?)-(\\d[\\w.]*)(-[\\w-]+)?\\.jar");

    /**
     * A line of the list.
     *
     * @param from the first version that is bad
     * @param fixed the first that is not
     */
    private record Bad(String artifact, Version from, Version fixed, String why) {
        static Bad of(String line) {
            String[] words = line.split("\\s+", 4);
            return new Bad(words[0], Version.parse(words[1]), Version.parse(words[2]), words[3]);
        }

        boolean is(String jar) {
            Matcher name = JAR.matcher(jar);
            if (!name.matches() || !name.group(1).equals(artifact)) {
                return false;
            }
            Version version = Version.parse(name.group(2));
            return version.compareTo(from) >= 0 && version.compareTo(fixed) < 0;
        }
    }

    private static List<Bad> list() throws IOException {
        try (InputStream list = KnownBadVersionsTest.class.getResourceAsStream("/known-bad-versions.txt")) {
            return new String(Objects.requireNonNull(list).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#") && !line.isBlank())
                    .map(Bad::of)
                    .toList();
        }
    }

    private static List<String> bad(Stream<String> jars) throws IOException {
        List<Bad> list = list();
        return jars.flatMap(jar -> list.stream().filter(one -> one.is(jar)).map(one -> jar + ": " + one.why()))
                .toList();
    }

    @Test
    void no_jar_is_of_a_version_with_a_known_vulnerability() throws IOException {
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> jars = Stream.of(path.split(File.pathSeparator))
                .map(entry -> new File(entry).getName())
                .filter(name -> name.endsWith(".jar"))
                .toList();
        assertThat(jars).anyMatch(jar -> jar.startsWith("postgresql-42.")).anyMatch(jar -> jar.startsWith("jackson-"));
        assertThat(bad(jars.stream())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "postgresql-42.7.1.jar, true",
        "postgresql-42.7.2.jar, false",
        "postgresql-42.7.6.jar, true",
        "postgresql-42.7.13.jar, false",
        "commons-compress-1.9.jar, true", // not later than 1.26
        "jackson-databind-3.1.5.jar, false",
        "spring-core-7.0.0-M1.jar, false",
        "mypostgresql-42.7.1.jar, false",
    })
    void versions_are_compared_as_numbers(String jar, boolean bad) throws IOException {
        assertThat(bad(Stream.of(jar))).hasSize(bad ? 1 : 0);
    }
}
