package dev.durable.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The resources that the server and this process have used so far, read before and after a benchmark: the difference is
 * its cost.
 *
 * @param commits transactions that wrote something, from the server's transaction ids
 * @param walBytes what the server wrote to its log
 * @param server CPU time of the server's processes, those that ended included; zero where they can't be seen
 * @param jvm CPU time of this process, zero for others
 */
record Costs(long nanos, long commits, long walBytes, Duration server, Duration jvm) {
    private static final long TICKS_PER_SECOND = 100;

    static Costs now(Database database) throws SQLException {
        long commits = database.number("select pg_snapshot_xmax(pg_current_snapshot())::text::bigint");
        long wal = database.number("select (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint");
        return new Costs(System.nanoTime(), commits, wal, serverCpu(database), jvmCpu());
    }

    Costs since(Costs before) {
        return new Costs(
                nanos - before.nanos,
                commits - before.commits,
                walBytes - before.walBytes,
                server.minus(before.server),
                jvm.minus(before.jvm));
    }

    double seconds() {
        return nanos / 1e9;
    }

    private static Duration jvmCpu() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? Duration.ofNanos(system.getProcessCpuTime())
                : Duration.ZERO;
    }

    /** Backends are children of the postmaster, which sums up those that have ended. */
    private static Duration serverCpu(Database database) throws SQLException {
        return Duration.ofMillis(postmasterTicks(database) * 1000 / TICKS_PER_SECOND);
    }

    private static long postmasterTicks(Database database) throws SQLException {
        // The connection has to live while its process is looked at.
        try (var connection = database.connect();
                var statement = connection.createStatement();
                var row = statement.executeQuery("select pg_backend_pid()")) {
            row.next();
            long backend = row.getLong(1);
            return stat(backend).name().startsWith("postgres")
                    ? ProcessHandle.of(backend)
                            .flatMap(ProcessHandle::parent)
                            .map(Costs::ticksOfTree)
                            .orElse(0L)
                    : 0;
        }
    }

    private static long ticksOfTree(ProcessHandle postmaster) {
        return stat(postmaster.pid()).ticksWithEnded()
                + postmaster
                        .children()
                        .mapToLong(child -> stat(child.pid()).ticks())
                        .sum();
    }

    private record Stat(String name, long ticks, long ticksWithEnded) {}

    /** Fields 14 to 17 are user and system time, of the process and of its children that ended. */
    private static Stat stat(long pid) {
        try {
            String line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            int end = line.lastIndexOf(')');
            String[] fields = line.substring(end + 2).split(" ", -1);
            long own = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
            return new Stat(
                    line.substring(line.indexOf('(') + 1, end),
                    own,
                    own + Long.parseLong(fields[13]) + Long.parseLong(fields[14]));
        } catch (IOException gone) {
            return new Stat("", 0, 0);
        }
    }
}
