package dev.durable.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The engines that take part. */
public enum Peer {
    /** Durable. */
    DURABLE,
    /** Durable as another checkout has it, see {@link Base}. */
    BASE,
    /** Durable with meters of all that it does. */
    OBSERVED,
    /** The rows that Durable writes, through bare JDBC with no engine: what its tables allow on this machine. */
    LIMIT,
    /** DBOS Transact. */
    DBOS,
    /** Jobs only. */
    DB_SCHEDULER,
    /** Jobs only. */
    JOBRUNR;

    Contestant open(Database database, Settings settings) throws Exception {
        return switch (this) {
            case DURABLE -> new DurableContestant(database, settings);
            case OBSERVED -> DurableContestant.observed(database, settings);
            case BASE -> throw new Contestant.NotOffered("it plays whole scenarios, in this process");
            case LIMIT -> new LimitContestant(database, settings);
            case DBOS -> new DbosContestant(database, settings);
            case DB_SCHEDULER -> new DbSchedulerContestant(database, settings);
            case JOBRUNR -> new JobRunrContestant(database, settings);
        };
    }

    /** How many of its runs have completed. */
    String completedSql() {
        return this == DBOS
                ? "select count(*) from dbos.workflow_status where status = 'SUCCESS'"
                : "select count(*) from durable.workflow_run where status = 'COMPLETED'";
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Peer labelled(String label) {
        return Arrays.stream(values())
                .filter(peer -> peer.label().equals(label))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException(
                        "There is no peer " + label + "; there are " + String.join(", ", labels())));
    }

    static List<String> labels() {
        return Arrays.stream(values()).map(Peer::label).collect(Collectors.toList());
    }
}
