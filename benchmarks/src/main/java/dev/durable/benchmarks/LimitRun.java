package dev.durable.benchmarks;

import dev.durable.store.RunIds;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** A run without a worker: it only knows which rows come next. Touched by one writer at a time. */
final class LimitRun {
    private static final String OPTIONS = "{\"startToClose\":\"PT1M\",\"priority\":0,\"retry\":{\"maxAttempts\":0,"
            + "\"initialInterval\":\"PT1S\",\"backoff\":2.0,\"maxInterval\":\"PT1M\",\"jitter\":0.2,\"maxWorkerCrashes\":3}}";

    /** The rows of one transition. The fence goes from one to the next. */
    record Write(
            LimitRun run,
            UUID fence,
            UUID newFence,
            long eventId,
            List<Event> events,
            List<Job> newJobs,
            List<Job> endedJobs,
            boolean start,
            boolean close) {}

    record Event(String type, @Nullable UUID message, String attributes) {}

    record Job(int seq, UUID lease) {}

    final UUID runId;
    final String workflowId;
    final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
    private final int steps;
    private final int atOnce;
    private final boolean local;
    private final int perWrite;
    private UUID fence = random();
    private long eventId = 1;
    private int scheduled;
    private int completed;
    private final List<Job> open = new ArrayList<>();

    private LimitRun(String workflowId, int steps, int atOnce, boolean local, int perWrite) {
        this.workflowId = workflowId;
        this.runId = RunIds.create(
                Instant.now(), workflowId, ThreadLocalRandom.current().nextLong());
        this.steps = steps;
        this.atOnce = atOnce;
        this.local = local;
        this.perWrite = perWrite;
    }

    static LimitRun sequence(String workflowId, int steps, boolean local) {
        return new LimitRun(workflowId, steps, 1, local, 1);
    }

    static LimitRun fanout(String workflowId, int size) {
        return new LimitRun(workflowId, size, size, false, 256);
    }

    /** The rows of its next step: outcomes of what is open, and what follows from them. */
    Write next() {
        boolean start = eventId == 1;
        List<Event> events = new ArrayList<>();
        List<Job> endedJobs = start ? List.of() : endedBy(events);
        if (start) {
            events.add(new Event("WorkflowStarted", null, started()));
        }
        boolean close = completed == steps;
        List<Job> newJobs = close ? List.of() : schedule(events);
        if (close) {
            events.add(new Event("WorkflowCompleted", null, "{\"result\":" + steps + "}"));
        }
        UUID before = fence;
        fence = random();
        Write write = new Write(this, before, fence, eventId, events, newJobs, endedJobs, start, close);
        eventId += events.size();
        return write;
    }

    private List<Job> endedBy(List<Event> events) {
        List<Job> ending =
                local ? List.of(new Job(completed + 1, random())) : open.subList(0, Math.min(perWrite, open.size()));
        List<Job> endedJobs = local ? List.of() : List.copyOf(ending);
        for (Job job : ending) {
            events.add(new Event("ActivityCompleted", job.lease(), completed(job.seq())));
        }
        completed += ending.size();
        open.removeAll(endedJobs);
        return endedJobs;
    }

    private List<Job> schedule(List<Event> events) {
        if (local) {
            return List.of();
        }
        List<Job> newJobs = new ArrayList<>();
        while (scheduled < steps && open.size() < atOnce) {
            Job job = new Job(++scheduled, random());
            open.add(job);
            newJobs.add(job);
            events.add(new Event("ActivityScheduled", null, scheduled(job.seq())));
        }
        return newJobs;
    }

    private String started() {
        return "{\"workflowId\":\"" + workflowId + "\",\"runId\":\"" + runId
                + "\",\"workflowType\":\"Sequence\",\"taskQueue\":\"default\",\"input\":[" + steps + "],\"flags\":0}";
    }

    private static String scheduled(int seq) {
        return "{\"seq\":" + seq + ",\"activity\":\"Counter.next\",\"taskQueue\":\"default\",\"input\":[" + (seq - 1)
                + "],\"options\":" + OPTIONS + "}";
    }

    private String completed(int seq) {
        String call = ",\"local\":{\"activity\":\"LocalCounter.next\",\"input\":[" + (seq - 1) + "]}";
        return "{\"seq\":" + seq + ",\"attempt\":1,\"result\":" + seq
                + ",\"startedAt\":\"2026-01-01T00:00:00.727102Z\",\"worker\":\"host/12345\"" + (local ? call : "")
                + "}";
    }

    static String options() {
        return OPTIONS;
    }

    private static UUID random() {
        ThreadLocalRandom bits = ThreadLocalRandom.current();
        return new UUID(bits.nextLong(), bits.nextLong());
    }
}
