package dev.durable.internal.client.operate;

import dev.durable.RefusedInputException;
import dev.durable.client.QueueDescription;
import dev.durable.internal.declare.Registry;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobFilter;
import dev.durable.store.Served;
import dev.durable.store.SessionInfo;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Checks the names of task queues and activities that operators pause against those that this engine, the living
 * workers and the store know. A pause of a name that none of them knows would pause nothing and look as if it did, so
 * it is refused: mostly the name is misspelt. While a worker of an older release lives, which does not record the names
 * that it serves, nothing is refused.
 *
 * @param registry the names that this engine registers
 * @param served the task queues that it serves; none in a process without workers
 */
record KnownNames(HistoryStore store, Registry registry, Set<String> served) {

    /** Returns the name of a task queue, if it is known. */
    String queue(String name) {
        if (served.contains(name) || isQueueOfStore(name)) {
            return name;
        }
        refuseUnlessKnown("task queue", name, Served::queues, queue -> queue);
        return name;
    }

    private boolean isQueueOfStore(String name) {
        return store.queues().stream().map(QueueDescription::taskQueue).anyMatch(name::equals);
    }

    /** Returns the name of an activity or of a type, if it is known. */
    String activity(String name) {
        if (matches(registry.declaredActivities(), name) || store.count(JobFilter.ALL.activity(name), 1) > 0) {
            return name;
        }
        refuseUnlessKnown("activity", name, Served::activities, KnownNames::typeOf);
        return name;
    }

    private void refuseUnlessKnown(
            String what, String name, Function<Served, Set<String>> of, Function<String, String> type) {
        List<SessionInfo> workers =
                store.sessions().stream().filter(worker -> !worker.dead()).toList();
        if (workers.stream().anyMatch(worker -> worker.served() == null)) {
            return;
        }
        Set<String> known = new TreeSet<>(workers.stream()
                .map(SessionInfo::served)
                .filter(Objects::nonNull)
                .flatMap(one -> of.apply(one).stream())
                .toList());
        if (known.stream().noneMatch(one -> one.equals(name) || type.apply(one).equals(name))) {
            throw new RefusedInputException(what + " " + name + " is not known: no living worker "
                    + (what.equals("activity") ? "implements" : "serves")
                    + " it, and nothing waits in the store for it. "
                    + (known.isEmpty() ? "There is no living worker." : "Known are " + known + ".")
                    + " Usual cause: a misspelt name. If its workers are still to be started, start them first.");
        }
    }

    private static boolean matches(Set<String> names, String name) {
        return Stream.concat(names.stream(), names.stream().map(KnownNames::typeOf))
                .anyMatch(name::equals);
    }

    private static String typeOf(String activity) {
        int dot = activity.lastIndexOf('.');
        return dot < 0 ? activity : activity.substring(0, dot);
    }
}
