package dev.durable.store.postgres.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.ActivityState;
import dev.durable.store.postgres.Schema;
import dev.durable.store.postgres.SqlInvariants;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The states of jobs stand in one list, {@link JobState}. Statements take their codes from there; migrations and
 * invariants, which can't, have the same codes. A new state can't be left out of the views unnoticed.
 */
class JobStatesInSqlTest {
    private static final Pattern COMPARED =
            Pattern.compile("\\bstate\\)? *(?:=|<>|in|not in) *(?:\\(([0-9, ]+)\\)|([0-9]+))");
    private static final Pattern CASE = Pattern.compile("when job\\.state = ([0-9]+) then '([a-z]+)'");
    private static final Path MAIN = Path.of("src/main/java");

    @Test
    void statements_have_no_code_of_a_state_in_their_text() {
        assertThat(sources().filter(file -> COMPARED.matcher(text(file)).find()))
                .as("write ${READY} and the like, which QueuePlaceSql.in replaces")
                .isEmpty();
    }

    @Test
    void what_migrations_and_invariants_say_of_several_states_is_said_of_one_of_the_groups() {
        Set<Set<Integer>> groups = Set.of(
                codes(JobState.DEAD, JobState.INCIDENT),
                codes(JobState.READY, JobState.DELAYED, JobState.PAUSED, JobState.WAITING),
                codes(JobState.RUNNING, JobState.EXTERNAL),
                codes(JobState.READY, JobState.RUNNING, JobState.EXTERNAL),
                codes(JobState.READY, JobState.WAITING),
                codes(JobState.READY, JobState.DELAYED, JobState.WAITING));
        List<Set<Integer>> said = compared(Schema.sql() + SqlInvariants.sql());

        assertThat(said)
                .filteredOn(codes -> codes.size() > 1)
                .hasSizeGreaterThan(10)
                .isSubsetOf(groups);
        assertThat(said).as("each state, at one place at least").containsAll(singles());
        assertThat(said.stream().flatMap(Set::stream)).isSubsetOf(codes(JobState.values()));
    }

    @Test
    void the_view_of_activities_has_a_word_for_each_state() {
        Map<Integer, String> names = Arrays.stream(JobState.values())
                .collect(Collectors.toMap(
                        state -> (int) state.code(), state -> state.name().toLowerCase(Locale.ROOT)));

        List<Map<Integer, String>> views = views(Schema.sql());

        assertThat(views.getLast()).isEqualTo(names);
        assertThat(views)
                .as("older versions")
                .allSatisfy(view -> assertThat(names).containsAllEntriesOf(view));
    }

    @Test
    void the_codes_are_found_by_their_place_and_the_names_are_those_that_clients_see() {
        for (JobState state : JobState.values()) {
            assertThat(JobState.of(state.code())).isSameAs(state);
        }
        assertThat(JobState.values())
                .extracting(JobState::name)
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(ActivityState.values()).map(Enum::name).toList());
    }

    private static List<Map<Integer, String>> views(String sql) {
        List<Map<Integer, String>> views = new ArrayList<>();
        for (String statement : sql.split("create (or replace )?view", -1)) {
            Map<Integer, String> words = new TreeMap<>();
            CASE.matcher(statement)
                    .results()
                    .forEach(found -> words.put(Integer.valueOf(found.group(1)), found.group(2)));
            if (!words.isEmpty()) {
                views.add(words);
            }
        }
        return views;
    }

    private static List<Set<Integer>> compared(String sql) {
        return COMPARED.matcher(sql)
                .results()
                .<Set<Integer>>map(JobStatesInSqlTest::codes)
                .toList();
    }

    private static Set<Integer> codes(MatchResult found) {
        String list = found.group(1) == null ? found.group(2) : found.group(1);
        return Stream.of(list.split(",", -1))
                .map(code -> Integer.valueOf(code.strip()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<Integer> codes(JobState... states) {
        return Arrays.stream(states).map(state -> (int) state.code()).collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<Set<Integer>> singles() {
        return Arrays.stream(JobState.values()).map(JobStatesInSqlTest::codes).toList();
    }

    private static Stream<Path> sources() {
        try (Stream<Path> files = Files.walk(MAIN)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
