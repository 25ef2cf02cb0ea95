package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Server programs ready to run.
 *
 * @param version as the server gives it, for instance {@code 18.6}
 * @param template where a fresh data directory of this version is kept to be copied
 */
record Installation(Path home, String version, Path template) {
    private static final Pattern VERSION = Pattern.compile("\\(PostgreSQL\\) (\\d\\S*)");

    Path postgres() {
        return home.resolve("bin/postgres");
    }

    Path initdb() {
        return home.resolve("bin/initdb");
    }

    Path pgCtl() {
        return home.resolve("bin/pg_ctl");
    }

    int major() {
        return Integer.parseInt(version.replaceFirst("\\D.*", ""));
    }

    /** Asks the programs in a folder which version they are; the first sign whether they run here at all. */
    static String askVersion(Path home) throws IOException, InterruptedException {
        Path postgres = home.resolve("bin/postgres");
        if (!Files.isExecutable(postgres)) {
            throw EmbeddedErrors.notAnInstallation(home);
        }
        Command.Outcome outcome =
                Command.in(home, List.of(), postgres, "--version").run();
        Matcher version = VERSION.matcher(outcome.output());
        if (!outcome.ok() || !version.find()) {
            throw EmbeddedErrors.programsDoNotRun(postgres, outcome.output());
        }
        return version.group(1);
    }
}
