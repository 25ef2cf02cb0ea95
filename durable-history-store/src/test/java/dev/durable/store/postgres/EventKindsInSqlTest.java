package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.history.HistoryEvent;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The kinds of events that the invariants name are those that exist, so a new kind can't be left out unnoticed. */
class EventKindsInSqlTest {
    private static final Pattern LIST = Pattern.compile("in \\(('[A-Za-z]+'(?:,\\s*'[A-Za-z]+')*)\\)");
    private static final Pattern NAME = Pattern.compile("'([A-Za-z]+)'");

    private final List<Set<String>> lists = LIST.matcher(SqlInvariants.sql())
            .results()
            .<Set<String>>map(list -> names(list.group(1)))
            .toList();

    @Test
    void commands() {
        assertThat(lists).contains(kinds(HistoryEvent.Command.class));
    }

    @Test
    void ends_of_activities() {
        Set<String> ends = kinds(HistoryEvent.ActivityClosed.class);
        assertThat(lists)
                .filteredOn(list -> list.contains("ActivityCompleted"))
                .isNotEmpty()
                .allSatisfy(list -> assertThat(list).containsAll(ends));
    }

    @Test
    void ends_of_runs() {
        Set<String> ends = kinds(HistoryEvent.Closing.class);
        assertThat(lists).contains(ends);
        assertThat(ends).allSatisfy(end -> assertThat(SqlInvariants.sql()).contains("when '" + end + "' then"));
    }

    @Test
    void events_that_are_written_later_than_they_happened() {
        Set<String> ofActivities = new TreeSet<>();
        leaves(HistoryEvent.Informing.class)
                .filter(type -> Stream.of(type.getRecordComponents())
                        .anyMatch(component -> component.getName().equals("seq")))
                .forEach(type -> ofActivities.add(type.getSimpleName()));
        assertThat(lists).contains(ofActivities);
    }

    private static Set<String> names(String list) {
        Set<String> names = new TreeSet<>();
        NAME.matcher(list).results().map((MatchResult name) -> name.group(1)).forEach(names::add);
        return names;
    }

    private static Set<String> kinds(Class<?> type) {
        Set<String> names = new TreeSet<>();
        leaves(type).map(Class::getSimpleName).forEach(names::add);
        return names;
    }

    private static Stream<Class<?>> leaves(Class<?> type) {
        return type.isSealed()
                ? Stream.of(type.getPermittedSubclasses()).flatMap(EventKindsInSqlTest::leaves)
                : Stream.of(type);
    }
}
