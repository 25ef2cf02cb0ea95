package dev.durable.spring.actuate;

import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.Incident;
import dev.durable.client.IncidentGroup;
import dev.durable.client.IncidentQuery;
import dev.durable.client.Page;
import dev.durable.client.QueueDescription;
import dev.durable.client.WorkerStatus;
import dev.durable.client.WorkflowQuery;
import dev.durable.client.WorkflowStatus;
import dev.durable.spring.actuate.DurableEndpoint.BadRequest;
import dev.durable.store.HistoryStore;
import dev.durable.store.Served;
import dev.durable.store.SessionInfo;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/** Reads what the endpoint shows, by section. */
final class Sections {
    private static final List<String> NAMES =
            List.of("workflows", "queues", "workers", "incidents", "deadletters", "config");
    private static final int PAGE = 20;
    private static final int LARGEST_PAGE = 100;
    private static final int GROUPS = 20;

    private final DurableEngine engine;
    private final HistoryStore store;
    private final Supplier<Map<String, Object>> about;
    private final ConfigSection config;

    Sections(DurableEngine engine, HistoryStore store, Supplier<Map<String, Object>> about, ConfigSection config) {
        this.engine = engine;
        this.store = store;
        this.about = about;
        this.config = config;
    }

    /**
     * The conditions by which a request narrows a listing; null is any value.
     *
     * @param type a workflow type
     * @param status of workflows
     * @param taskQueue of workflows and incidents
     * @param activity of incidents
     * @param limit the largest page
     * @param next where the page begins
     */
    record Wanted(
            @Nullable String type,
            @Nullable String status,
            @Nullable String taskQueue,
            @Nullable String activity,
            @Nullable Integer limit,
            @Nullable String next) {

        int size() {
            int wanted = limit == null ? PAGE : limit;
            if (wanted < 1 || wanted > LARGEST_PAGE) {
                throw new BadRequest("limit is from 1 to " + LARGEST_PAGE + ", not " + wanted);
            }
            return wanted;
        }
    }

    Map<String, Object> overview() {
        Map<String, Object> shown = new LinkedHashMap<>(about.get());
        shown.put("healthy", engine.healthy());
        shown.put("problems", engine.problems().stream().map(CutText::text).toList());
        shown.put("sections", NAMES);
        return shown;
    }

    /** Null where there is no such section. */
    @Nullable
    Object show(String section, String id, Wanted wanted, SecurityContext security) {
        return switch (section) {
            case "workflows" -> id.isEmpty() ? workflows(wanted) : workflow(id);
            case "queues" -> id.isEmpty() ? queues() : client().queues().describe(id);
            case "workers" -> workers();
            case "incidents" -> waiting(client().incidents(), id, wanted);
            case "deadletters" -> waiting(client().deadLetters(), id, wanted);
            case "config" -> config.show(security);
            default -> null;
        };
    }

    private DurableClient client() {
        return engine.client();
    }

    // ── workflows ───────────────────────────────────────────────────────────────────────────────────────────────────

    private Views.Listing<Views.Workflow> workflows(Wanted wanted) {
        WorkflowQuery query = client().workflows().where(run -> narrowed(run, wanted));
        Page<WorkflowQuery.Row> page = query.page(wanted.size(), wanted.next());
        return new Views.Listing<>(
                page.stream().map(row -> Views.Workflow.of(row.summary())).toList(), next(page, query::page));
    }

    /** Where the listing goes on, if it does: the client's own pages say where it would, and an empty one is the end. */
    private static <T> @Nullable String next(Page<T> page, BiFunction<Integer, @Nullable String, Page<T>> pages) {
        return page.isEmpty() || pages.apply(1, page.next()).isEmpty() ? null : page.next();
    }

    private static WorkflowQuery.Filter narrowed(WorkflowQuery.Filter all, Wanted wanted) {
        WorkflowQuery.Filter run = all;
        if (wanted.type() != null) {
            run = run.type(wanted.type());
        }
        if (wanted.taskQueue() != null) {
            run = run.taskQueue(wanted.taskQueue());
        }
        if (wanted.status() == null) {
            return run;
        }
        return wanted.status().equalsIgnoreCase("stalled") ? run.stalled() : run.status(status(wanted.status()));
    }

    private static WorkflowStatus status(String text) {
        try {
            return WorkflowStatus.valueOf(text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new BadRequest("status is one of " + Arrays.toString(WorkflowStatus.values()) + " or STALLED");
        }
    }

    private Views.WorkflowDetails workflow(String id) {
        return Views.WorkflowDetails.of(client().handle(id).describe());
    }

    // ── queues, workers ─────────────────────────────────────────────────────────────────────────────────────────────

    /** Those that hold something or have a setting, and those that this process serves, however idle. */
    private Map<String, Object> queues() {
        Map<String, QueueDescription> all = new TreeMap<>();
        client().queues().list().forEach(queue -> all.put(queue.taskQueue(), queue));
        engine.worker()
                .queues()
                .forEach(queue -> all.computeIfAbsent(
                        queue.name(), name -> client().queues().describe(name)));
        return Map.of(
                "queues", List.copyOf(all.values()),
                "pausedActivities", client().queues().pausedActivities());
    }

    private Map<String, Object> workers() {
        WorkerStatus own = engine.worker();
        return Map.of(
                "thisProcess",
                own,
                "workers",
                store.sessions().stream().map(session -> worker(session, own)).toList());
    }

    private static Views.Worker worker(SessionInfo session, WorkerStatus own) {
        Served served = session.served();
        UUID ownSession = own.session();
        return new Views.Worker(
                session.session(),
                session.identity(),
                session.startedAt(),
                session.lease(),
                session.dead(),
                session.session().equals(ownSession),
                served == null ? Set.of() : served.queues(),
                served == null ? Set.of() : served.activities());
    }

    // ── incidents, dead letters ─────────────────────────────────────────────────────────────────────────────────────

    private static Object waiting(IncidentQuery all, String id, Wanted wanted) {
        if (!id.isEmpty()) {
            ActivityPath path = ActivityPath.of(id);
            return Views.Waiting.of(all.one(path.workflowId(), path.seq()).describe());
        }
        IncidentQuery query = all.where(incident -> narrowed(incident, wanted));
        Page<Incident> page = query.page(wanted.size(), wanted.next());
        List<IncidentGroup> groups = query.groups(GROUPS);
        return new Views.WaitingListing(
                groups.stream().map(Views.Group::of).toList(),
                page.stream().map(Views.Waiting::of).toList(),
                next(page, query::page));
    }

    private static IncidentQuery.Filter narrowed(IncidentQuery.Filter all, Wanted wanted) {
        IncidentQuery.Filter incident = all;
        if (wanted.type() != null) {
            incident = incident.workflowType(wanted.type());
        }
        if (wanted.taskQueue() != null) {
            incident = incident.taskQueue(wanted.taskQueue());
        }
        return wanted.activity() == null ? incident : incident.activity(wanted.activity());
    }
}
