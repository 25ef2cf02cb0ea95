package dev.durable.spring;

import dev.durable.store.postgres.SchemaMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Settings below {@code durable.*}. */
@ConfigurationProperties("durable")
public class DurableProperties {
    /** Whether Durable is configured at all. */
    private boolean enabled = true;

    /** Database schema of Durable's tables: the tenant boundary. */
    private String schema = "durable";

    /**
     * Name of the installation that this process belongs to, such as prod: it does no work in a database that holds the work
     * of another one. Without it only copies by template and restored dumps are told, not snapshots.
     */
    private @Nullable String installation;

    /** With what the names of the roles of the schema begin: the schema's name when not set. */
    private @Nullable String rolePrefix;

    /** What is done about the schema at start: migrate it, only validate it, or nothing. */
    private SchemaMode migrate = SchemaMode.MIGRATE;

    /**
     * JDBC URL by which the schema is migrated: straight to the server, not through a pooler. The application's DataSource
     * when not set.
     */
    private @Nullable String migrationUrl;

    /** The owner of the schema, who migrates it; then the application's own user needs no right to create anything. */
    private @Nullable String migrationUsername;

    /** The owner's password. */
    private @Nullable String migrationPassword;

    /** How this process is named in events and views; host and process id when not set. */
    private @Nullable String identity;

    /** Whether this process only starts workflows and talks to them, and works on none. */
    private boolean clientOnly;

    /** How long running activities may go on at shutdown. */
    private Duration drainTimeout = Duration.ofSeconds(10);

    /** This worker is taken for dead when its beat stands still for that long; from 100ms to 1d. */
    private Duration sessionLease = Duration.ofSeconds(30);

    /** How long the body of a cancelled background job may go on before it is interrupted and given up. */
    private Duration cancelGrace = Duration.ofSeconds(30);

    /** Upper bound of an idle poll. */
    private Duration pollInterval = Duration.ofSeconds(1);

    /**
     * Transactional activities at once, each of which keeps a connection of the pool; what the pool spares when not set: its
     * maximum less six, at least one.
     */
    private @Nullable Integer maxTransactionalActivities;

    /** Largest payload in bytes. */
    private int maxPayloadBytes = 2 * 1024 * 1024;

    /**
     * Exceptions that stall runs instead of failing them, of all workflows that do not say by themselves:
     * java.lang.RuntimeException lets what a workflow does not declare wait for mended code.
     */
    private List<Class<? extends Throwable>> stallOn = new ArrayList<>();

    /** Task queues this process serves, by name; "default" when none is named. */
    private Map<String, Queue> queues = new LinkedHashMap<>();

    /**
     * Options of activities, over those of their annotations: "Payments.start-to-close",
     * "Payments.methods.charge.retry.max-attempts" and the like.
     */
    private Map<String, String> activities = new LinkedHashMap<>();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public String getSchema() {
        return schema;
    }

    public void setSchema(String schema) {
        this.schema = schema;
    }

    public @Nullable String getInstallation() {
        return installation;
    }

    public void setInstallation(@Nullable String installation) {
        this.installation = installation;
    }

    public @Nullable String getRolePrefix() {
        return rolePrefix;
    }

    public void setRolePrefix(@Nullable String rolePrefix) {
        this.rolePrefix = rolePrefix;
    }

    public SchemaMode getMigrate() {
        return migrate;
    }

    public void setMigrate(SchemaMode migrate) {
        this.migrate = migrate;
    }

    public @Nullable String getMigrationUrl() {
        return migrationUrl;
    }

    public void setMigrationUrl(@Nullable String migrationUrl) {
        this.migrationUrl = migrationUrl;
    }

    public @Nullable String getMigrationUsername() {
        return migrationUsername;
    }

    public void setMigrationUsername(@Nullable String migrationUsername) {
        this.migrationUsername = migrationUsername;
    }

    public @Nullable String getMigrationPassword() {
        return migrationPassword;
    }

    public void setMigrationPassword(@Nullable String migrationPassword) {
        this.migrationPassword = migrationPassword;
    }

    public @Nullable String getIdentity() {
        return identity;
    }

    public void setIdentity(@Nullable String identity) {
        this.identity = identity;
    }

    public boolean isClientOnly() {
        return clientOnly;
    }

    public void setClientOnly(boolean clientOnly) {
        this.clientOnly = clientOnly;
    }

    public Duration getDrainTimeout() {
        return drainTimeout;
    }

    public void setDrainTimeout(Duration drainTimeout) {
        this.drainTimeout = drainTimeout;
    }

    public Duration getSessionLease() {
        return sessionLease;
    }

    public void setSessionLease(Duration sessionLease) {
        this.sessionLease = sessionLease;
    }

    public Duration getCancelGrace() {
        return cancelGrace;
    }

    public void setCancelGrace(Duration cancelGrace) {
        this.cancelGrace = cancelGrace;
    }

    public Duration getPollInterval() {
        return pollInterval;
    }

    public void setPollInterval(Duration pollInterval) {
        this.pollInterval = pollInterval;
    }

    public @Nullable Integer getMaxTransactionalActivities() {
        return maxTransactionalActivities;
    }

    public void setMaxTransactionalActivities(@Nullable Integer maxTransactionalActivities) {
        this.maxTransactionalActivities = maxTransactionalActivities;
    }

    public int getMaxPayloadBytes() {
        return maxPayloadBytes;
    }

    public void setMaxPayloadBytes(int maxPayloadBytes) {
        this.maxPayloadBytes = maxPayloadBytes;
    }

    public List<Class<? extends Throwable>> getStallOn() {
        return stallOn;
    }

    public void setStallOn(List<Class<? extends Throwable>> stallOn) {
        this.stallOn = stallOn;
    }

    public Map<String, Queue> getQueues() {
        return queues;
    }

    public void setQueues(Map<String, Queue> queues) {
        this.queues = queues;
    }

    public Map<String, String> getActivities() {
        return activities;
    }

    public void setActivities(Map<String, String> activities) {
        this.activities = activities;
    }

    /** How one task queue is served. */
    public static class Queue {
        /** Activities at once. */
        private int slots = 50;

        /** Whether activity bodies run on virtual threads. */
        private boolean virtualThreads;

        public int getSlots() {
            return slots;
        }

        public void setSlots(int slots) {
            this.slots = slots;
        }

        public boolean isVirtualThreads() {
            return virtualThreads;
        }

        public void setVirtualThreads(boolean virtualThreads) {
            this.virtualThreads = virtualThreads;
        }
    }
}
