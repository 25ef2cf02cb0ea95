package dev.durable.spring;

import dev.durable.store.postgres.SchemaMode;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.util.unit.DataSize;

/**
 * Settings below {@code durable.*}. Durations without a unit are seconds, but for the poll interval, which is milliseconds.
 *
 * @param enabled Whether Durable is configured at all.
 * @param schema Database schema of Durable's tables: the tenant boundary.
 * @param installation Name of the installation that this process belongs to, such as prod: it does no work in a database
 *     that holds the work of another one. Without it only copies by template and restored dumps are recognised, not
 *     snapshots.
 * @param build Name of the build of the workflow code that this process has, such as 2026-11-27.1: another one for each
 *     deployment. A run that stalls is held back from its build only, and pinned runs go on with theirs. When not set, it
 *     is the version and time of build-info.properties, else the commit of git.properties.
 * @param rolePrefix With what the names of the roles of the schema begin: the schema's name when not set.
 * @param migrate What is done about the schema at start: migrate it, only validate it, or nothing.
 * @param migrationUrl JDBC URL by which the schema is migrated: straight to the server, not through a pooler. The
 *     application's DataSource when not set.
 * @param migrationUsername The owner of the schema, who migrates it; then the application's own user needs no right to
 *     create anything.
 * @param migrationPassword The owner's password.
 * @param identity How this process is named in events and views; host and process id when not set.
 * @param clientOnly Whether this process only starts workflows and talks to them, and works on none.
 * @param startWithoutDatabase Whether the application starts while the database can't be reached: its health is down then,
 *     and the engine begins when the database is there. When false, the start fails.
 * @param worker How the worker of this process begins.
 * @param drainTimeout How long running activities may go on at shutdown.
 * @param sessionLease This worker is taken for dead when its beat stands still for that long; from 100ms to 1d.
 * @param cancelGrace How long the body of a cancelled background job may go on before it is interrupted and given up.
 * @param callTimeout How long a call of the client (a start, a signal, a query, a listing) waits while the database does
 *     not answer, before it throws. A web application holds a request's thread for that long.
 * @param pollInterval Upper bound of an idle poll, at least 10ms.
 * @param maxTransactionalActivities Transactional activities at once, each of which keeps a connection of the pool; what
 *     the pool spares when not set: its maximum less six, at least one.
 * @param maxPayloadSize Largest payload.
 * @param maxHistoryEvents The most events of a run's history; a run that would have more stalls until its code continues as
 *     new, or the limit is raised.
 * @param maxHistorySize The most bytes of payloads in a run's history, where each character counts as one.
 * @param stallOn Exceptions that stall runs instead of failing them, of all workflows that do not say by themselves:
 *     java.lang.RuntimeException lets what a workflow does not declare wait for mended code.
 * @param retryDenied Whether activities are retried that Spring Security refused (AccessDeniedException,
 *     AuthenticationException); when false, the first refusal uses up their attempts. Where a retry policy has a retryIf,
 *     that decides.
 * @param queues Task queues that this process serves, by name. "default" is served, too, unless its slots are 0.
 * @param activities Options of activities, over those of their annotations: "Payments.start-to-close",
 *     "Payments.methods.charge.retry.max-attempts" and the like.
 */
@ConfigurationProperties(DurableProperties.PREFIX)
public record DurableProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("durable") String schema,
        @Nullable String installation,
        @Nullable String build,
        @Nullable String rolePrefix,
        @DefaultValue("migrate") SchemaMode migrate,
        @Nullable String migrationUrl,
        @Nullable String migrationUsername,
        @Nullable String migrationPassword,
        @Nullable String identity,
        @DefaultValue("false") boolean clientOnly,
        @DefaultValue("true") boolean startWithoutDatabase,
        @DefaultValue Worker worker,

        @DefaultValue("10s") @DurationUnit(ChronoUnit.SECONDS)
        Duration drainTimeout,

        @DefaultValue("30s") @DurationUnit(ChronoUnit.SECONDS)
        Duration sessionLease,

        @DefaultValue("30s") @DurationUnit(ChronoUnit.SECONDS)
        Duration cancelGrace,

        @DefaultValue("60s") @DurationUnit(ChronoUnit.SECONDS)
        Duration callTimeout,

        @DefaultValue("1s") Duration pollInterval,
        @Nullable Integer maxTransactionalActivities,
        @DefaultValue("2MB") DataSize maxPayloadSize,
        @DefaultValue("51200") long maxHistoryEvents,
        @DefaultValue("50MB") DataSize maxHistorySize,
        @DefaultValue List<Class<? extends Throwable>> stallOn,
        @DefaultValue("false") boolean retryDenied,
        @DefaultValue Map<String, Queue> queues,
        @DefaultValue Map<String, String> activities) {
    static final String PREFIX = "durable";

    /**
     * How the worker begins.
     *
     * @param autoStartup Whether the worker begins with the application context. When false, it begins when the bean
     *     durableLifecycle is started; the client works all the same.
     */
    public record Worker(@DefaultValue("true") boolean autoStartup) {}

    /**
     * How one task queue is served.
     *
     * @param slots Activities at once; 0 is not served.
     * @param virtualThreads Whether activity bodies run on virtual threads; as spring.threads.virtual.enabled says when
     *     not set.
     */
    public record Queue(
            @DefaultValue("50") int slots, @Nullable Boolean virtualThreads) {}
}
