package dev.durable.samples.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Each feature that the documents call missing is listed here with its reason, so that the sentence goes when the
 * feature comes.
 */
class PromisesTest {
    private static final Pattern PROMISE = Pattern.compile("not yet|planned|\\bwill be\\b|no such things yet");

    /** Pages whose rows say what is not there yet; {@link FeaturesTest} holds each row. */
    private static final Set<String> STATES_BY_ROW = Set.of("features.md", "conformance.md");

    /** A word of the line, in lower case, and why the line may say so. */
    private static final Map<String, String> MISSING = Map.ofEntries(
            Map.entry(
                    "update",
                    "a handler is not told the id of its update, and a run's memo and attributes are not changed"),
            Map.entry("dynamicactivity", "a worker claims only the activities that it implements"),
            Map.entry("schedule", "nothing starts by a calendar"),
            Map.entry("cron", "the same, in other words"),
            Map.entry("lastcompletionresult", "belongs to schedules"),
            Map.entry("searchattribute", "runs have no typed attributes to search by"),
            Map.entry("withattributes", "the same, in DBOS's words"),
            Map.entry("memo", "a memo is written at the start only"),
            Map.entry("buildid", "workflow code is not told its build"),
            Map.entry("metricsscope", "workflow code has no scope of meters; the engine counts for it"),
            Map.entry("setplugins", "there is nothing to plug into but interceptors and beans"),
            Map.entry("encryption", "payloads are JSON; what is secret stays out of them"),
            Map.entry("deleteworkflow", "runs are removed by age, as the database's owner says"),
            Map.entry("console", "there is no user interface of its own"),
            Map.entry("jobrunr dashboard", "the same"),
            Map.entry("setevent", "nobody can wait for a field of a run from outside"),
            Map.entry("setworkflowdelay", "the delay of a start is not changed later"),
            Map.entry("not yet* means", "explains the words"),
            Map.entry("## not yet", "the heading of what is missing"),
            Map.entry("checkpointed", "says of rows, not of the library, that something has not happened"),
            Map.entry("connection will be committed", "says the same of a transaction"));

    @Test
    void what_a_document_says_is_not_there_yet_is_listed_with_its_reason() {
        Set<String> stale = new TreeSet<>();
        Set<String> used = new TreeSet<>();
        for (Path document : Documents.documents()) {
            if (STATES_BY_ROW.contains(document.getFileName().toString())) {
                continue;
            }
            for (String line : Documents.lines(document)) {
                String text = line.toLowerCase(Locale.ROOT);
                if (PROMISE.matcher(text).find()) {
                    Set<String> words = new TreeSet<>(MISSING.keySet());
                    words.removeIf(word -> !text.contains(word));
                    used.addAll(words);
                    if (words.isEmpty()) {
                        stale.add(Documents.ROOT.relativize(document) + ": " + line);
                    }
                }
            }
        }
        assertThat(stale)
                .as("sentences about what is not there yet, and nobody here says why")
                .isEmpty();
        assertThat(MISSING.keySet())
                .as("reasons that no document needs any longer")
                .isEqualTo(used);
    }
}
