package dev.durable.samples.plain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The steps of the README: each command is a process of its own, on the embedded server in one folder. */
@Tag("slow")
class OrdersTest {
    @TempDir
    private Path folder;

    @Test
    void anOrderOutlivesTheProcessThatPlacedItAndIsBookedWhenItIsApproved() throws Exception {
        Process first = start("place", "42");
        try (BufferedReader printed = first.inputReader()) {
            assertThat(printed.readLine()).isEqualTo("waiting for order 42");
            first.destroyForcibly().waitFor(); // kill -9
        }

        assertThat(ended(start("approve", "42"))).isEqualTo("waiting for order 42\nbooked: AUTH-42");
        assertThat(ended(start("place", "42"))).endsWith("booked: AUTH-42");
    }

    private Process start(String... arguments) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Orders.class.getName());
        builder.command().addAll(java.util.List.of(arguments));
        return builder.directory(folder.toFile()).redirectErrorStream(true).start();
    }

    private static String ended(Process process) throws IOException, InterruptedException {
        try (BufferedReader printed = process.inputReader()) {
            String all = printed.lines().collect(Collectors.joining("\n"));
            assertThat(process.waitFor()).as(all).isZero();
            return all;
        }
    }
}
