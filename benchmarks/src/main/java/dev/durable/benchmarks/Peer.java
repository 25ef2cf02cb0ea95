package dev.durable.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Who takes part. */
enum Peer {
    /** Durable. */
    DURABLE(DurableContestant::new),
    /** The rows that Durable writes, through bare JDBC with no engine: what its tables allow on this machine. */
    LIMIT(LimitContestant::new),
    /** DBOS Transact. */
    DBOS(DbosContestant::new),
    /** Jobs only. */
    DB_SCHEDULER(DbSchedulerContestant::new),
    /** Jobs only. */
    JOBRUNR(JobRunrContestant::new);

    private final Opening opening;

    Peer(Opening opening) {
        this.opening = opening;
    }

    Contestant open(Database database, Settings settings) throws Exception {
        return opening.open(database, settings);
    }

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Peer labelled(String label) {
        return Arrays.stream(values())
                .filter(peer -> peer.label().equals(label))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException(
                        "There is no peer " + label + "; there are " + String.join(", ", labels())));
    }

    static List<String> labels() {
        return Arrays.stream(values()).map(Peer::label).collect(Collectors.toList());
    }

    @FunctionalInterface
    private interface Opening {
        Contestant open(Database database, Settings settings) throws Exception;
    }
}
