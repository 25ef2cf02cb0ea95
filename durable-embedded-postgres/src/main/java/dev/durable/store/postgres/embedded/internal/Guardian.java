package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A shell that waits for the end of this process, however it comes, and then detaches as the package describes: takes
 * its file away and, when that was the last one, stops the server. It needs no signal and no polling: the pipe from
 * here to there ends when no process holds this side of it any more.
 */
record Guardian(Process shell) {
    private static final Logger LOG = LoggerFactory.getLogger(Guardian.class);

    /** Longer than the script's own patience: 60 s for a fast shutdown, then 20 s for an immediate one. */
    private static final long PATIENCE_SECONDS = 120;

    /**
     * Arguments: the file in {@code attached/}; the server's name, which it has among its arguments; the signal to stop
     * it with; the folder to remove in the end, or nothing. Runs in the server's directory.
     */
    private static final String SCRIPT = """
            trap '' HUP INT QUIT TERM    # Ctrl-C is meant for the application; it may still need the server
            while read -r line; do :; done
            rm -f "attached/$1"
            rmdir attached 2>/dev/null || exit 0
            mark=cluster_name=$2
            marked() {
                { cat "/proc/$1/cmdline" || ps -o args= -p "$1"; } | grep -qF -- "$mark"
            } 2>/dev/null
            running() { read -r pid <data/postmaster.pid && [ "$pid" ] && marked "$pid"; } 2>/dev/null
            starting() { read -r starter <starter && [ "$starter" ] && marked "$starter"; } 2>/dev/null
            # In this order: no process uses a server if the folder is missing after the server was seen.
            abandoned() { running && [ ! -d attached ]; }
            while starting && ! running && [ ! -d attached ]; do sleep 0.02; done
            abandoned && kill -s "$3" "$pid"
            tries=0
            while abandoned && [ $tries -lt 4000 ]; do
                sleep 0.02
                tries=$((tries + 1))
                [ $tries -eq 3000 ] && kill -s QUIT "$pid"
            done
            [ -z "$4" ] || { cd / && rm -rf "$4"; }
            """;

    static Guardian watch(ServerDirectory directory, String entry) throws IOException {
        String signal = directory.temporary() ? "QUIT" : "INT"; // what is thrown away need not be written first
        String remove = directory.temporary() ? directory.root().toString() : "";
        Command shell = Command.in(
                directory.root(),
                List.of(),
                "sh",
                "-c",
                SCRIPT,
                "durable-postgres-guardian",
                entry,
                directory.name(),
                signal,
                remove);
        return new Guardian(shell.builder()
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start());
    }

    /** Lets it do its work and waits until it has. */
    void dismiss() throws IOException, InterruptedException {
        shell.getOutputStream().close();
        if (!shell.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            LOG.warn(
                    "The guardian of an embedded PostgreSQL, process {}, has not ended; it goes on alone.",
                    shell.pid());
        }
    }
}
