package dev.durable.samples.springorders;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The steps of the README in an empty folder, outside of this repository: its pom.xml, its class, {@code mvn
 * spring-boot:run}. Durable's artifacts are those of this build, laid out as {@code mvn install} does; Maven may download
 * what else it needs.
 */
@Tag("slow")
@Timeout(300)
class QuickStartTest {
    private static final String FIRST_RESULT = "Hello, Ann";
    private static final Duration PROMISED = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void theFirstWorkflowIsCompletedWithinAMinute() throws Exception {
        try (LocalRepository repository = LocalRepository.withArtifactsOfThisBuild(folder.resolve("repository"))) {
            Duration took = untilTheFirstResult(repository, Files.createDirectory(folder.resolve("hello")));
            if (took.compareTo(PROMISED) > 0) { // it has downloaded, perhaps
                took = untilTheFirstResult(repository, Files.createDirectory(folder.resolve("hello-again")));
            }
            System.out.printf("QuickStartTest: the first workflow completed after %d ms%n", took.toMillis());
            assertThat(took).isLessThan(PROMISED);
        }
    }

    private static Duration untilTheFirstResult(LocalRepository repository, Path empty) throws Exception {
        long begin = System.nanoTime();
        Files.writeString(empty.resolve("pom.xml"), block("xml spring-quick-start"));
        Path sources = Files.createDirectories(empty.resolve("src/main/java/hello"));
        Files.writeString(sources.resolve("Hello.java"), block("java spring-quick-start"));

        ProcessBuilder builder = new ProcessBuilder(
                        maven(), "-B", "-ntp", "-Dmaven.repo.local=" + repository.folder(), "spring-boot:run")
                .directory(empty.toFile())
                .redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        environment.remove("MAVEN_OPTS");
        Process process = builder.start();
        List<String> printed = new ArrayList<>();
        try (BufferedReader reader = process.inputReader()) {
            String line = reader.readLine();
            while (line != null && !line.equals(FIRST_RESULT)) {
                printed.add(line);
                line = reader.readLine();
            }
            assertThat(line).as(() -> String.join("\n", printed)).isEqualTo(FIRST_RESULT);
            return Duration.ofNanos(System.nanoTime() - begin);
        } finally {
            end(process);
        }
    }

    /** As Ctrl-C does, so that the embedded server goes down with the application. */
    private static void end(Process maven) throws InterruptedException {
        List<ProcessHandle> below = maven.descendants().toList();
        below.forEach(ProcessHandle::destroy);
        maven.destroy();
        maven.waitFor();
        below.forEach(process -> process.onExit().join());
    }

    private static String block(String fence) throws Exception {
        Matcher found = Pattern.compile("(?ms)^```" + fence + "\n(.*?)^```$")
                .matcher(Files.readString(Path.of("../../README.md")));
        assertThat(found.find()).as("```%s in README.md", fence).isTrue();
        return found.group(1);
    }

    private static String maven() {
        String home = System.getProperty("maven.home");
        return home == null ? "mvn" : Path.of(home, "bin", "mvn").toString();
    }
}
