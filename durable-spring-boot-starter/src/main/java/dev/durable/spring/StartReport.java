package dev.durable.spring;

import dev.durable.ActivityOptions;
import dev.durable.internal.declare.ActivityBinding;
import dev.durable.internal.declare.ActivityMethod;
import dev.durable.internal.declare.ActivityType;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.engine.EngineContents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The report in the log of an application whose worker begins: queues, workflows, activities with their options, and
 * why a candidate was left out; and, apart, what this process lacks.
 *
 * @param contents what is registered
 * @param schema where the tables are
 * @param beans those that implement activities
 * @param leftOut candidates, each with the reason
 * @param endsDenied whether what Spring Security refuses is not retried
 */
record StartReport(
        EngineContents contents,
        String schema,
        List<ActivityBeans.Chosen> beans,
        List<String> leftOut,
        boolean endsDenied) {

    /** One block of lines. */
    String text() {
        List<String> lines = new ArrayList<>();
        lines.add("Durable " + (contents.worker() ? "works" : "is a client only") + ", as " + contents.identity()
                + " in schema " + schema);
        add(lines, "queues", queues());
        add(lines, "workflows", workflows());
        add(lines, "activities", activities());
        if (endsDenied && contents.worker()) {
            add(lines, "not retried", List.of("what Spring Security refuses (durable.retry-denied)"));
        }
        add(lines, "left out", leftOut.stream().sorted().toList());
        return String.join("\n", lines);
    }

    /** Warnings about work that would wait for other processes, each with the way out. */
    List<String> warnings() {
        if (!contents.worker()) {
            return List.of();
        }
        List<String> warnings = new ArrayList<>();
        Set<String> here = contents.activities().stream()
                .map(binding -> binding.activity().name())
                .collect(Collectors.toSet());
        for (WorkflowType workflow : sorted()) {
            for (ActivityType needed : workflow.dependencies()) {
                if (needed.methods().stream().map(ActivityMethod::name).noneMatch(here::contains)) {
                    warnings.add("workflow " + workflow.name() + " injects " + needed.name()
                            + ", for which this process has no bean; another worker must serve it. Usual cause: a @Profile"
                            + " or condition that is off, or a missing @Component.");
                }
            }
        }
        Map<String, Set<String>> unserved = new TreeMap<>();
        contents.workflows().forEach(workflow -> wanted(unserved, workflow.taskQueue(), workflow.name()));
        contents.activities()
                .forEach(binding -> wanted(
                        unserved,
                        binding.activity().options().taskQueue(),
                        binding.activity().name()));
        unserved.forEach((queue, names) -> warnings.add("queue " + queue + " is not served by this process, and "
                + String.join(", ", names) + (names.size() == 1 ? " is" : " are")
                + " registered for it here; another worker must serve it. Add durable.queues." + queue
                + ".slots, if this one is to."));
        return warnings;
    }

    private void wanted(Map<String, Set<String>> unserved, @Nullable String queue, String name) {
        if (queue != null && !contents.queues().containsKey(queue)) {
            unserved.computeIfAbsent(queue, q -> new TreeSet<>()).add(name);
        }
    }

    private List<String> queues() {
        return contents.queues().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(queue -> queue.getKey() + " (" + queue.getValue().slots() + " slots"
                        + (queue.getValue().pool() == null
                                ? ""
                                : " of pool " + queue.getValue().pool())
                        + (queue.getValue().virtualThreads() ? ", virtual threads)" : ")"))
                .toList();
    }

    private List<String> workflows() {
        return sorted().stream()
                .map(workflow -> workflow.name() + " on queue " + workflow.taskQueue() + ", "
                        + workflow.implementation().getName())
                .toList();
    }

    private List<WorkflowType> sorted() {
        return contents.workflows().stream()
                .sorted(Comparator.comparing(WorkflowType::name))
                .toList();
    }

    private List<String> activities() {
        return contents.activities().stream()
                .sorted(Comparator.comparing(binding -> binding.activity().name()))
                .map(this::line)
                .toList();
    }

    private String line(ActivityBinding binding) {
        ActivityMethod activity = binding.activity();
        String bean = beanOf(binding.implementation());
        return activity.name() + (bean == null ? "" : " by bean " + bean) + ": " + words(activity.options());
    }

    @SuppressWarnings("ReferenceEquality") // a bean is itself, whatever its equals says
    private @Nullable String beanOf(Object implementation) {
        return beans.stream()
                .filter(one -> one.bean() == implementation)
                .map(ActivityBeans.Chosen::name)
                .findFirst()
                .orElse(null);
    }

    private static String words(ActivityOptions options) {
        List<String> words = new ArrayList<>();
        words.add(options.local() ? "local" : "on queue " + queue(options));
        words.add("start-to-close " + shown(options.startToClose()));
        add(words, "schedule-to-close ", options.scheduleToClose());
        add(words, "heartbeat-timeout ", options.heartbeatTimeout());
        int attempts = options.retry().maxAttempts();
        words.add(attempts == 0 ? "attempts without end" : attempts + " attempts");
        if (options.transactional()) {
            words.add("transactional");
        }
        if (options.atMostOnce()) {
            words.add("at most once");
        }
        return String.join(", ", words);
    }

    private static String queue(ActivityOptions options) {
        return options.taskQueue() == null ? "of its workflow" : options.taskQueue();
    }

    private static void add(List<String> words, String what, @Nullable Duration value) {
        if (value != null) {
            words.add(what + shown(value));
        }
    }

    private static String shown(Duration value) {
        return value.toString().substring(2).toLowerCase(Locale.ROOT);
    }

    private static void add(List<String> lines, String title, List<String> items) {
        String first = "  " + title + " ".repeat(12 - title.length());
        for (int i = 0; i < items.size(); i++) {
            lines.add((i == 0 ? first : " ".repeat(first.length())) + items.get(i));
        }
    }
}
