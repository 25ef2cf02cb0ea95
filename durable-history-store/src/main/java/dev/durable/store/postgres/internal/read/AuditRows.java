package dev.durable.store.postgres.internal.read;

import static dev.durable.store.postgres.internal.jooq.Tables.AUDIT;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.row;

import dev.durable.client.AuditEntry;
import dev.durable.internal.text.Bounds;
import dev.durable.store.AuditFilter;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.util.List;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** Reads rows of the audit. */
public final class AuditRows {
    private final Connections connections;

    public AuditRows(Connections connections) {
        this.connections = connections;
    }

    /** Reads a page along the index by time, from the row behind which the page begins. */
    public List<AuditEntry> page(AuditFilter filter, int limit) {
        return connections.read(
                TransactionSettings.LISTING,
                tx -> tx.dsl()
                        .select(AUDIT.ID, AUDIT.AT, AUDIT.ACTOR, AUDIT.ACTION, AUDIT.TARGET, AUDIT.DETAILS)
                        .from(AUDIT)
                        .where(
                                said(filter.actor(), AUDIT.ACTOR::eq),
                                said(filter.action(), AUDIT.ACTION::eq),
                                said(filter.workflowId(), AuditRows::isOf),
                                said(filter.since(), AUDIT.AT::ge),
                                said(filter.before(), AUDIT.AT::lt),
                                said(
                                        filter.after(),
                                        last -> row(AUDIT.AT, AUDIT.ID).lt(last.at(), last.id())))
                        .orderBy(AUDIT.AT.desc(), AUDIT.ID.desc())
                        .limit(limit)
                        .fetch(found -> new AuditEntry(
                                found.get(AUDIT.ID),
                                found.get(AUDIT.AT),
                                found.get(AUDIT.ACTOR),
                                found.get(AUDIT.ACTION),
                                found.get(AUDIT.TARGET),
                                found.get(AUDIT.DETAILS).data())));
    }

    private static Condition isOf(String workflowId) {
        Condition ofRun = AUDIT.ACTION.in(AuditFilter.OF_RUNS).and(AUDIT.TARGET.eq(workflowId));
        Condition ofActivity = AUDIT.TARGET
                .likeRegex(AuditFilter.OF_ACTIVITY)
                .and(DSL.regexpReplaceFirst(AUDIT.TARGET, AuditFilter.OF_ACTIVITY, "")
                        .eq(Bounds.shown(workflowId)));
        return ofRun.or(ofActivity);
    }

    private static <T> Condition said(@Nullable T value, Function<T, Condition> condition) {
        return value == null ? noCondition() : condition.apply(value);
    }
}
