package dev.durable.internal.client.access;

import dev.durable.client.StallGroup;
import dev.durable.store.RunRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Groups stalled runs that have stalled alike. Used by one thread. */
final class StallGroups {
    private static final Pattern LINE = Pattern.compile("[\\w.$]+\\([\\w$]+\\.(?:java|kt):\\d+\\)");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    private final Map<Key, Group> groups = new LinkedHashMap<>();

    /** @param cause the first line, without ids and numbers, which differ from run to run */
    private record Key(String type, String cause, @Nullable String line) {
        @Override
        public String toString() {
            return "Key[" + type + "]";
        }
    }

    private static final class Group {
        private final RunRecord example;
        private final String text;
        private Instant oldest;
        private long count;

        Group(RunRecord example, String text) {
            this.example = example;
            this.text = text;
            this.oldest = example.startedAt();
        }
    }

    void add(RunRecord run, String stalledBy) {
        Group group = groups.computeIfAbsent(key(run, stalledBy), key -> new Group(run, stalledBy));
        group.count++;
        group.oldest = group.oldest.isBefore(run.startedAt()) ? group.oldest : run.startedAt();
    }

    /** The groups, the largest first. */
    List<StallGroup> all() {
        List<StallGroup> all = new ArrayList<>();
        groups.forEach((key, group) -> all.add(new StallGroup(
                key.type,
                firstLine(group.text),
                key.line,
                group.count,
                group.oldest,
                DescriptionMapper.summary(group.example),
                group.text)));
        all.sort(Comparator.comparingLong(StallGroup::count).reversed());
        return all;
    }

    private static Key key(RunRecord run, String stalledBy) {
        Matcher line = LINE.matcher(stalledBy);
        String cause = firstLine(stalledBy)
                .replace(run.run().workflowId(), "")
                .replace(run.run().runId().toString(), "");
        return new Key(run.type(), NUMBER.matcher(cause).replaceAll("#"), line.find() ? line.group() : null);
    }

    private static String firstLine(String text) {
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }
}
