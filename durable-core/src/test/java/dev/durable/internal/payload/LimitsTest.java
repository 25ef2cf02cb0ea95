package dev.durable.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.internal.run.HistoryLimit;
import dev.durable.internal.text.Bounds;
import dev.durable.store.InboxLimit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The table in docs/limits.md of the limits at which input is refused has the figures of the code, each of them, and no
 * other row.
 */
class LimitsTest {
    private static final Path PAGE = Path.of("../docs/limits.md");

    @Test
    void each_row_of_the_table_has_the_figure_of_the_code() throws IOException {
        Map<String, String> inCode = new LinkedHashMap<>();
        inCode.put("id of a run", number(Bounds.ID) + " characters");
        inCode.put("name of a type", number(Bounds.NAME) + " characters");
        inCode.put("name of an installation", number(Bounds.INSTALLATION) + " characters");
        inCode.put("name of a build", number(Bounds.BUILD) + " characters");
        inCode.put("name of a class in options", number(Bounds.CLASS_NAME) + " characters");
        inCode.put("headers and memo of a start", number(Bounds.NOTES_BYTES) + " bytes");
        inCode.put("headers of an activity", number(Bounds.NOTES_BYTES) + " bytes");
        inCode.put("headers that interceptors add to those of a start", number(Bounds.ADDED_NOTES_BYTES) + " bytes");
        inCode.put("headers that interceptors add to those of an activity", number(Bounds.NOTES_BYTES) + " bytes");
        inCode.put("reason of a cancel", number(Bounds.REASON_BYTES) + " bytes");
        inCode.put("a payload", number(PayloadCodec.DEFAULT_MAX_BYTES) + " bytes");
        inCode.put("timeouts and delays in options", number(Bounds.DURATION.toDays()) + " days");
        inCode.put("delays that exceptions ask for", number(Bounds.WAIT.toDays()) + " days");
        inCode.put("waits of workflow code", Bounds.LATEST.toString());
        inCode.put("a time that is named", Bounds.LATEST.toString());
        inCode.put("messages that wait for one run", number(InboxLimit.DEFAULT.messages()) + " messages");
        inCode.put("their payloads together", number(InboxLimit.DEFAULT.bytes()) + " bytes");
        inCode.put("open children of a run", number(Bounds.OPEN_CHILDREN) + " children");
        inCode.put("open children with which a run continues as new", number(Bounds.CARRIED_CHILDREN) + " children");
        inCode.put(
                "results of ended children that no code has read, with which a run continues as new",
                number(Bounds.CARRIED_RESULTS) + " characters");
        inCode.put("levels of a tree of children", number(Bounds.CHILD_DEPTH) + " levels");
        inCode.put("arguments of the children that one turn starts", number(Bounds.CHILD_INPUTS) + " characters");
        inCode.put("events in the history of a run", number(HistoryLimit.DEFAULT.events()) + " events");
        inCode.put("bytes of payloads in the history", number(HistoryLimit.DEFAULT.bytes()) + " bytes");
        inCode.put("times that one callback is given more time", number(Bounds.EXTENSIONS) + " times");
        inCode.put("entries of a stream", number(Bounds.STREAM_ENTRIES) + " entries");
        inCode.put("values of a stream", number(Bounds.STREAM_BYTES) + " bytes");
        inCode.put("a line of `Durable.details`", number(Bounds.LINE) + " characters");
        inCode.put("rows of one page", number(Bounds.PAGE) + " rows");
        inCode.put("message of an error", number(ErrorText.MAX_MESSAGE_BYTES) + " bytes");
        inCode.put("type of an error", number(Bounds.CLASS_NAME) + " characters");
        inCode.put("stack of an error", number(ErrorText.MAX_STACK_BYTES) + " bytes");
        inCode.put("task queues whose room is remembered", number(Bounds.QUEUES) + " queues");

        List<String[]> rows = rows();
        assertThat(rows).hasSameSizeAs(inCode.keySet());
        int i = 0;
        for (Map.Entry<String, String> row : inCode.entrySet()) {
            assertThat(rows.get(i)[0]).as("row %s", i).startsWith(row.getKey());
            assertThat(rows.get(i)[1]).as(row.getKey()).isEqualTo(row.getValue());
            i++;
        }
    }

    /** The rows of the first table, without its two lines of head. */
    private static List<String[]> rows() throws IOException {
        try (Stream<String> lines = Files.lines(PAGE)) {
            return lines.dropWhile(line -> !line.startsWith("|"))
                    .takeWhile(line -> line.startsWith("|"))
                    .skip(2)
                    .map(line -> line.substring(1).strip().split("\\s*\\|\\s*", -1))
                    .toList();
        }
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}
