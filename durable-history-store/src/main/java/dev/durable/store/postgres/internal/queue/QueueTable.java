package dev.durable.store.postgres.internal.queue;

import static dev.durable.store.postgres.internal.sql.Param.texts;

import dev.durable.client.QueueDescription;
import dev.durable.client.QueueLimits;
import dev.durable.client.Queues.PausedActivity;
import dev.durable.store.BuildRamps;
import dev.durable.store.Nudges;
import dev.durable.store.QueueChange;
import dev.durable.store.QueueRules;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SafeText;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Implements pauses, limits and descriptions of task queues. */
public final class QueueTable {
    private final Connections connections;
    private final Nudges nudges;

    public QueueTable(Connections connections, Nudges nudges) {
        this.connections = connections;
        this.nudges = nudges;
    }

    public boolean change(QueueChange change) {
        boolean changed = connections.transaction(TransactionSettings.LONG, tx -> {
            List<Boolean> answer = new ArrayList<>();
            SqlScript.Row reader = row -> answer.add(row.getInt("changed") > 0);
            tx.last(script(change, reader));
            return answer.getFirst();
        });
        if (changed) {
            nudges.send(List.of(new Nudges.RulesChanged()));
        }
        return changed;
    }

    private static SqlScript script(QueueChange change, SqlScript.Row reader) {
        SqlScript script = new SqlScript();
        return switch (change.what()) {
            case QueueChange.PauseQueue pause ->
                script.read(QueueChangeSql.PAUSE_QUEUE, reader, audited(change, time(pause.resumeAt())));
            case QueueChange.ResumeQueue ignored -> script.read(QueueChangeSql.RESUME_QUEUE, reader, audited(change));
            case QueueChange.PauseActivity pause ->
                script.read(QueueChangeSql.PAUSE_ACTIVITY, reader, audited(change, time(pause.resumeAt())));
            case QueueChange.ResumeActivity ignored ->
                script.read(QueueChangeSql.RESUME_ACTIVITY, reader, audited(change));
            case QueueChange.RampBuild ramp
            when ramp.percent() == null -> script.read(QueueChangeSql.END_RAMP, reader, audited(change));
            case QueueChange.RampBuild ramp ->
                script.read(QueueChangeSql.RAMP_BUILD, reader, audited(change, Param.of((Object) ramp.percent())));
            case QueueChange.Limit limit
            when limit.limits().equals(QueueLimits.NONE) ->
                script.read(QueueChangeSql.LIFT_LIMITS, reader, audited(change));
            case QueueChange.Limit limit -> script.read(QueueChangeSql.LIMIT, reader, limit(change, limit.limits()));
        };
    }

    private static Param[] limit(QueueChange change, QueueLimits limits) {
        return audited(
                change,
                Param.of((Object) limits.concurrency()),
                Param.of((Object) limits.ratePerSecond()),
                Param.of((Object) limits.maxDepth()),
                Param.of((Object) limits.keyConcurrency()),
                Param.of((Object) limits.keyRatePerSecond()));
    }

    /** The parameters of a change: the target, the new values, and the row of the audit. */
    private static Param[] audited(QueueChange change, Param... set) {
        List<Param> params = new ArrayList<>();
        params.add(Param.of(change.what().target()));
        params.addAll(List.of(set));
        params.add(Param.of(change.id()));
        params.add(Param.of(SafeText.storable(change.actor())));
        params.add(Param.of(change.what().action()));
        params.add(Param.of(change.what().target()));
        params.add(Param.of(change.details()));
        return params.toArray(Param[]::new);
    }

    private static Param time(@Nullable Instant at) {
        return Param.of((Object) (at == null ? null : OffsetDateTime.ofInstant(at, ZoneOffset.UTC)));
    }

    public QueueRules rules(Collection<String> taskQueues) {
        Param names = texts(List.copyOf(taskQueues), name -> name);
        return connections.read(TransactionSettings.SHORT, tx -> {
            Map<String, QueueRules.Rule> rules = new HashMap<>();
            Set<String> paused = new HashSet<>();
            Set<String> keysWait = new HashSet<>();
            Map<String, Instant> delayed = new HashMap<>();
            Map<BuildRamps.Ramp, Instant> ramps = new LinkedHashMap<>();
            Map<String, Set<String>> builds = new HashMap<>();
            tx.last(new SqlScript()
                    .read(
                            QueueSql.RULES,
                            row -> rules.put(
                                    row.getString("task_queue"),
                                    new QueueRules.Rule(row.getBoolean("paused"), limits(row), false)),
                            names)
                    .read(QueueSql.PAUSED_ACTIVITIES, row -> paused.add(row.getString("activity")))
                    .read(QueueSql.KEYS_WAIT, row -> keysWait.add(row.getString("task_queue")), names)
                    .read(
                            QueueSql.NEXT_DELAYED,
                            row -> delayed.put(row.getString("task_queue"), TimeColumns.required(row, "visible_at")),
                            names)
                    .read(
                            QueueSql.RAMPS,
                            row -> ramps.put(
                                    new BuildRamps.Ramp(row.getString("build"), row.getInt("percent")),
                                    TimeColumns.required(row, "set_at")))
                    .read(
                            QueueSql.SERVING_BUILDS,
                            row -> builds.computeIfAbsent(row.getString("task_queue"), queue -> new HashSet<>())
                                    .add(row.getString("build")),
                            names));
            keysWait.forEach(queue -> rules.merge(
                    queue,
                    new QueueRules.Rule(false, QueueLimits.NONE, true),
                    (rule, waits) -> new QueueRules.Rule(rule.paused(), rule.limits(), true)));
            return new QueueRules(rules, paused, delayed, ramps(ramps, builds));
        });
    }

    /** The ramps, the one that was set last first. */
    private static BuildRamps ramps(Map<BuildRamps.Ramp, Instant> setAt, Map<String, Set<String>> builds) {
        return setAt.isEmpty()
                ? BuildRamps.NONE
                : new BuildRamps(
                        setAt.entrySet().stream()
                                .sorted(Map.Entry.<BuildRamps.Ramp, Instant>comparingByValue()
                                        .reversed())
                                .map(Map.Entry::getKey)
                                .toList(),
                        builds);
    }

    public List<QueueDescription> list() {
        return connections.read(TransactionSettings.READ, tx -> {
            List<QueueDescription> found = new ArrayList<>();
            tx.last(new SqlScript().read(QueueChangeSql.LIST, row -> found.add(description(row))));
            found.removeIf(queue -> queue.depth() + queue.running() + queue.dead() + queue.openRuns() == 0
                    && !queue.paused()
                    && queue.limits().equals(QueueLimits.NONE));
            return found;
        });
    }

    public List<PausedActivity> pausedActivities() {
        return connections.read(TransactionSettings.SHORT, tx -> {
            List<PausedActivity> found = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            QueueSql.PAUSED_ACTIVITIES,
                            row -> found.add(new PausedActivity(
                                    row.getString("activity"), TimeColumns.instant(row, "resume_at")))));
            return found;
        });
    }

    public int depth(String taskQueue, int atMost) {
        Param queue = Param.of(taskQueue);
        Param most = Param.of(atMost);
        return connections.read(TransactionSettings.SHORT, tx -> {
            List<Integer> depth = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            QueueSql.DEPTH,
                            row -> depth.add(row.getInt("depth")),
                            queue,
                            most,
                            queue,
                            most,
                            queue,
                            most,
                            queue,
                            most));
            return Math.min(atMost, depth.getFirst());
        });
    }

    private static QueueDescription description(ResultSet row) throws SQLException {
        return new QueueDescription(
                row.getString("task_queue"),
                row.getLong("ready"),
                row.getLong("waiting"),
                row.getLong("delayed"),
                row.getLong("running"),
                row.getLong("dead"),
                row.getLong("open_runs"),
                TimeColumns.instant(row, "oldest_ready_at"),
                row.getBoolean("paused"),
                TimeColumns.instant(row, "resume_at"),
                limits(row),
                row.getBoolean("at_least"));
    }

    private static QueueLimits limits(ResultSet row) throws SQLException {
        return new QueueLimits(
                row.getObject("concurrency", Integer.class),
                row.getObject("rate_per_second", Integer.class),
                row.getObject("max_depth", Integer.class),
                row.getObject("key_concurrency", Integer.class),
                row.getObject("key_rate_per_second", Integer.class));
    }
}
