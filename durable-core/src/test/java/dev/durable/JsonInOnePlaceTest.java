package dev.durable;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Main code writes JSON by {@code JsonObjectWriter} and reads it by {@code JsonObjectReader}, or by Jackson: neither by
 * concatenation, nor by regular expressions, nor by looking for text in it. The benchmarks are no part of this: they write
 * rows of a size that stays as it was measured first.
 */
class JsonInOnePlaceTest {
    /** The name of a property with its colon, as JSON has it or as a regular expression finds it; the begin of an object. */
    private static final Pattern PROPERTY =
            Pattern.compile("\"(?:\\s|\\\\s[*+])*:(?!\\s+(?!null|true|false)[a-z%])|\\{\\s*\"");

    /** A brace alone, or a bracket beside a quote, that something is put between. */
    private static final Pattern BRACKET = Pattern.compile("\\{|[\\[{]\"|\"[]}]|,\"");

    /** A search for a quoted text; a bracket that a text begins with. */
    private static final Pattern CALL = Pattern.compile(
            "\\.(?:contains|startsWith|indexOf|split)\\(\\s*(?:'\"'|\"[^\"]*\\\\\")|(?<!\\+\\s{0,30})\"\\[\"");

    /** A comment, which is left out, or a text block, a string or a character. */
    private static final Pattern TOKEN = Pattern.compile(
            "//[^\\n]*|/\\*(?s:.*?)\\*/|\"\"\"\\n(?s:.*?)\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*+\"|'(?:\\\\.|[^'\\\\])+'");

    /** Files that may, each with the reason. */
    private static final Map<String, String> MAY = Map.ofEntries(
            Map.entry("JsonObjectReader.java", "it is the reader"),
            Map.entry("JsonObjectWriter.java", "it is the writer"),
            Map.entry(
                    "JobNotes.java",
                    "it joins arrays as the function joined of the schema does, without reading events"),
            Map.entry(
                    "HistoryJson.java",
                    "a document that people read: its layout is its own, its values are the writer's"),
            Map.entry("PayloadErrors.java", "a path to a value, in an error: [3].name"),
            Map.entry(
                    "KnownProperties.java",
                    "it leaves out metadata without a property of Durable, before a parser reads the rest"),
            Map.entry(
                    "StartSql.java",
                    "the server compares the activity of many jobs, and PostgreSQL's jsonb refuses some texts"));

    @Test
    void json_is_put_together_and_taken_apart_in_one_place() throws IOException {
        Map<String, List<String>> found = found();
        Map<String, List<String>> unexpected = new TreeMap<>(found);
        unexpected.keySet().removeAll(MAY.keySet());

        assertThat(unexpected)
                .as("use JsonObjectWriter and JsonObjectReader, or EventJson and OptionsJson, which know the names")
                .isEmpty();
        assertThat(found.keySet())
                .as("what needs no exception any more is taken out")
                .containsAll(MAY.keySet());
    }

    @Test
    void each_way_to_do_without_is_found() {
        assertThat(List.of(
                        "String s = \"{\\\"seq\\\":\" + seq + \"}\";",
                        "String s = \"{\" + String.join(\",\", parts) + \"}\";",
                        "parts.add('\"' + name + \"\\\":\" + value);",
                        "String s = \"[\" + a + \",\" + b + \"]\";",
                        "String s = \"\"\"\n  {\"seq\": 1}\"\"\";",
                        "Pattern.compile(\"\\\"expiresAt\\\"\\\\s*:\\\\s*\\\"([^\\\"]+)\\\"\");",
                        "options.contains(\"\\\"atMostOnce\\\":true\");",
                        "options.contains(\"\\\"atMostOnce\\\"\");",
                        "options.indexOf('\"' + name);"))
                .allSatisfy(line -> assertThat(offences(line)).as(line).isNotEmpty());
        assertThat(List.of(
                        "/** {\"seq\":1} */ log.info(\"{}\", text); // {\"seq\":1}",
                        "throw new X(\"The server did not do \\\"%s\\\": %s\")",
                        "throw new X(\"installation \\\"\" + name + \"\\\": a name has 1 to 100 characters\");",
                        "if (headers.equals(\"{}\")) {}",
                        "out.string(\"type\", type)"))
                .allSatisfy(line -> assertThat(offences(line)).as(line).isEmpty());
    }

    private static Map<String, List<String>> found() throws IOException {
        Map<String, List<String>> found = new LinkedHashMap<>();
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            for (Path file : files.filter(JsonInOnePlaceTest::isMainCode).toList()) {
                List<String> offences = offences(Files.readString(file));
                if (!offences.isEmpty()) {
                    found.put(file.getFileName().toString(), offences);
                }
            }
        }
        return found;
    }

    private static boolean isMainCode(Path file) {
        String name = file.toString();
        return name.endsWith(".java")
                && name.contains("/src/main/java/")
                && !name.contains("/benchmarks/")
                && !name.contains("/internal/jooq/");
    }

    private static List<String> offences(String source) {
        String code = TOKEN.matcher(source)
                .replaceAll(token -> Matcher.quoteReplacement(isComment(token.group()) ? " " : token.group()));
        return Stream.concat(
                        TOKEN.matcher(code)
                                .results()
                                .map(token -> token.group())
                                .filter(JsonInOnePlaceTest::isJson),
                        CALL.matcher(code).results().map(call -> call.group()))
                .toList();
    }

    private static boolean isComment(String token) {
        return token.startsWith("//") || token.startsWith("/*");
    }

    private static boolean isJson(String token) {
        int quotes = token.startsWith("\"\"\"") ? 3 : 1;
        String text = token.substring(quotes, token.length() - quotes)
                .replace("\\\"", "\"")
                .replace("\\\\", "\\");
        return token.startsWith("\"")
                && (PROPERTY.matcher(text).find() || BRACKET.matcher(text).matches());
    }
}
