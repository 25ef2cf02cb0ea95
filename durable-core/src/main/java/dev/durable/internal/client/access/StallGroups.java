package dev.durable.internal.client.access;

import dev.durable.client.StallGroup;
import dev.durable.store.RunRecord;
import dev.durable.store.StallCause;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Groups stalled runs that have stalled alike. Used by one thread. */
final class StallGroups {
    private final Map<StallCause, Group> groups = new LinkedHashMap<>();

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
        Group group = groups.computeIfAbsent(
                StallCause.of(run.type(), run.run(), stalledBy), alike -> new Group(run, stalledBy));
        group.count++;
        group.oldest = group.oldest.isBefore(run.startedAt()) ? group.oldest : run.startedAt();
    }

    /** The groups, the largest first. */
    List<StallGroup> all() {
        List<StallGroup> all = new ArrayList<>();
        groups.forEach((alike, group) -> all.add(new StallGroup(
                alike.type(),
                firstLine(group.text),
                alike.line(),
                group.count,
                group.oldest,
                DescriptionMapper.summary(group.example),
                group.text)));
        all.sort(Comparator.comparingLong(StallGroup::count).reversed());
        return all;
    }

    private static String firstLine(String text) {
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }
}
