package dev.durable.store.postgres.internal.nudge;

import dev.durable.store.Nudges.HearingBegins;
import dev.durable.store.Nudges.JobBuried;
import dev.durable.store.Nudges.JobsReady;
import dev.durable.store.Nudges.Nudge;
import dev.durable.store.Nudges.OutboxAwaited;
import dev.durable.store.Nudges.OutboxFilled;
import dev.durable.store.Nudges.RulesChanged;
import dev.durable.store.Nudges.RunClosed;
import dev.durable.store.Nudges.RunsDue;
import dev.durable.store.Nudges.StreamWritten;
import dev.durable.store.Nudges.UpdateAnswered;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The text format of nudges: a line for the sender, then one for each nudge; a message without nudges says that the
 * sender is there. Lines of a newer version and lines that can't be read are skipped, line by line.
 *
 * <pre>
 *   3f0c…            the sender, so that it can skip its own messages
 *   ?                asks whether other processes listen
 *   r default        runs are due in queue default (URL-encoded)
 *   j default        jobs are ready there
 *   q *              pauses or limits of queues were changed
 *   c 0197…          this run closed
 *   u 0197…          this run has accepted or answered an update
 *   s 0197…          entries were appended to a stream of this chain
 *   b                a job became a dead letter or an incident
 *   o                messages wait in the outbox
 * </pre>
 *
 * @param sender random, one a store
 * @param asks whether others are to answer
 * @param nudges the nudges
 */
public record NudgeMessage(String sender, boolean asks, List<Nudge> nudges) {
    private static final Logger log = LoggerFactory.getLogger(NudgeMessage.class);
    /** The size of a payload; the server takes 7,999 bytes. */
    private static final int MAX_BYTES = 7_900;

    /** The number of lines that are read. A message of this release, of at most {@link #MAX_BYTES}, has fewer. */
    private static final int MAX_LINES = 2_000;

    private static final String ASK = "?";
    private static final String OUTBOX = "o";
    private static final String BURIED = "b";
    /**
     * Sends payloads without waiting for the WAL of the commit: after a crash of the server no listener is connected
     * that could miss them.
     */
    private static final String NOTIFY = "select pg_catalog.set_config('synchronous_commit', 'off', true),"
            + " pg_catalog.pg_notify(?, payload) from pg_catalog.unnest(?::pg_catalog.text[]) as payload";

    /** {@link #NOTIFY} of one payload, for a transaction's connection, which must not wait long for other NOTIFYs. */
    private static final String NOTIFY_ONE = "select pg_catalog.set_config('synchronous_commit', 'off', true),"
            + " pg_catalog.set_config('lock_timeout', '100', true), pg_catalog.pg_notify(?, ?)";

    /** Encodes nudges into as many payloads as they need, at least one. Queues with too long names are skipped. */
    public static List<String> encode(String sender, Collection<? extends Nudge> nudges) {
        List<String> payloads = new ArrayList<>();
        StringBuilder payload = new StringBuilder(sender);
        for (Nudge nudge : nudges) {
            String line = line(nudge);
            if (payload.length() + 1 + line.length() > MAX_BYTES && payload.length() > sender.length()) {
                payloads.add(payload.toString());
                payload.setLength(sender.length());
            }
            if (payload.length() + 1 + line.length() <= MAX_BYTES) {
                payload.append('\n').append(line);
            }
        }
        payloads.add(payload.toString());
        return payloads;
    }

    /** The message that asks whether other processes listen. */
    public static String ask(String sender) {
        return sender + '\n' + ASK;
    }

    public static NudgeMessage decode(String payload) {
        List<String> lines = payload.lines().limit(MAX_LINES).toList();
        List<Nudge> nudges = new ArrayList<>();
        lines.stream().skip(1).forEach(line -> addReadable(nudges, line));
        return new NudgeMessage(lines.isEmpty() ? "" : lines.getFirst(), lines.contains(ASK), nudges);
    }

    /** Sends payloads in one statement, which commits by itself as the connection has autocommit on. */
    static void notify(Connection connection, String channel, List<String> payloads) throws SQLException {
        try (var statement = connection.prepareStatement(NOTIFY)) {
            statement.setString(1, channel);
            statement.setArray(2, connection.createArrayOf("text", payloads.toArray()));
            statement.execute();
        }
    }

    /** The statement that sends one payload as part of a script, in a transaction of its own. */
    static SqlScript.Statement statement(String channel, String payload) {
        return new SqlScript.Statement(NOTIFY_ONE, row -> {}, new Param[] {Param.of(channel), Param.of(payload)}, 1);
    }

    private static String line(Nudge nudge) {
        return switch (nudge) {
            case RunsDue due -> "r " + URLEncoder.encode(due.taskQueue(), StandardCharsets.UTF_8);
            case JobsReady ready -> "j " + URLEncoder.encode(ready.taskQueue(), StandardCharsets.UTF_8);
            case RulesChanged ignored -> "q *";
            case RunClosed closed -> "c " + closed.runId();
            case UpdateAnswered answered -> "u " + answered.chainId();
            case StreamWritten written -> "s " + written.chainId();
            case JobBuried ignored -> BURIED;
            // This nudge can't be sent at its time, so other processes find the work by polling.
            case OutboxFilled ignored -> OUTBOX;
            case OutboxAwaited ignored -> OUTBOX;
            case HearingBegins ignored -> throw new IllegalArgumentException("each process hears of it by itself");
        };
    }

    private static void addReadable(List<Nudge> nudges, String line) {
        try {
            addTo(nudges, line);
        } catch (IllegalArgumentException e) {
            log.debug("a line of a notification can't be read and is passed over");
        }
    }

    private static void addTo(List<Nudge> nudges, String line) {
        if (line.equals(OUTBOX)) {
            nudges.add(new OutboxFilled());
        } else if (line.equals(BURIED)) {
            nudges.add(new JobBuried());
        } else if (line.length() >= 2) {
            String rest = line.substring(2);
            switch (line.substring(0, 2)) {
                case "r " -> nudges.add(new RunsDue(URLDecoder.decode(rest, StandardCharsets.UTF_8)));
                case "j " -> nudges.add(new JobsReady(URLDecoder.decode(rest, StandardCharsets.UTF_8)));
                case "q " -> nudges.add(new RulesChanged());
                case "c " -> nudges.add(new RunClosed(UUID.fromString(rest)));
                case "u " -> nudges.add(new UpdateAnswered(UUID.fromString(rest)));
                case "s " -> nudges.add(new StreamWritten(UUID.fromString(rest)));
                default -> {}
            }
        }
    }
}
