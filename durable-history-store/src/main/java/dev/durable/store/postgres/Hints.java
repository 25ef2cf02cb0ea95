package dev.durable.store.postgres;

import dev.durable.store.Nudges;
import java.util.HashSet;
import java.util.Set;

/** Queues in which a transaction made something due; told to the nudges once it has committed. */
final class Hints {
    private final Set<String> runs = new HashSet<>();
    private final Set<String> jobs = new HashSet<>();

    void runs(String taskQueue) {
        runs.add(taskQueue);
    }

    void jobs(String taskQueue) {
        jobs.add(taskQueue);
    }

    void sendTo(Nudges nudges) {
        if (!runs.isEmpty()) {
            nudges.runs(runs);
        }
        if (!jobs.isEmpty()) {
            nudges.jobs(jobs);
        }
    }
}
