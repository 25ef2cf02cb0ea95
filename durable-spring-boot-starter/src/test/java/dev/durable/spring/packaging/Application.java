package dev.durable.spring.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;

/** A small application, compiled and run in a process of its own. */
record Application(Path folder) {
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
    private static final int SECONDS = 60;

    /** Its exit code, what it said on both streams, and the JVM's log of the classes that it loaded. */
    record Ended(int code, String said, String loaded) {}

    /**
     * Compiles sources into {@code classes}.
     *
     * @param sources texts by path without {@code .java}
     * @param path {@code --class-path} or {@code --module-path}
     */
    Path compile(Map<String, String> sources, String path, List<Path> jars) throws IOException {
        Path classes = folder.resolve("classes");
        List<String> arguments = new ArrayList<>(
                List.of("-d", classes.toString(), "-proc:none", "-nowarn", "-parameters", "--release", "21"));
        arguments.addAll(List.of(path, joined(jars)));
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Path file = folder.resolve("src").resolve(source.getKey() + ".java");
            Files.createDirectories(file.getParent());
            arguments.add(Files.writeString(file, source.getValue()).toString());
        }
        int status = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
        assertThat(status).as("compiled").isZero();
        return classes;
    }

    Ended run(List<String> arguments) throws IOException, InterruptedException {
        Path loaded = folder.resolve("loaded");
        List<String> command = new ArrayList<>(List.of(
                JAVA.toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xlog:class+load=info:file=" + loaded));
        command.addAll(arguments);
        Path said = folder.resolve("said");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Ended(process.exitValue(), Files.readString(said), Files.readString(loaded));
    }

    static String joined(List<Path> jars) {
        return jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
}
