package dev.durable.benchmarks.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MainTest {
    @Test
    void where_its_server_does_not_start_a_benchmark_ends_with_a_sentence(@TempDir Path folder) throws Exception {
        Path other = folder.resolve("other");
        Files.writeString(Files.createDirectories(other.resolve("data")).resolve("PG_VERSION"), "9\n");
        Path file = Files.writeString(folder.resolve("file"), "a file, where a folder is to be");

        assertThat(refusal(other)).startsWith("benchmarks/run: ").contains("was created by PostgreSQL 9, but");
        assertThat(refusal(file)).startsWith("benchmarks/run: PostgreSQL cannot be kept in " + file);
    }

    private static String refusal(Path data) {
        StringWriter said = new StringWriter();
        int code = Main.command().setErr(new PrintWriter(said, true)).execute("--scenario=latency", "--data=" + data);
        assertThat(code).isNotZero();
        return said.toString();
    }
}
