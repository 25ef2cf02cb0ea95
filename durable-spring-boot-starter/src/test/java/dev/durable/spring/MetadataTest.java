package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.internal.declare.option.Option;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The metadata of {@code durable.*} for editors and documents: every property, with its description and its default.
 */
class MetadataTest {
    /** {@code | `durable.schema` | `durable` | … |}. */
    private static final Pattern ROW =
            Pattern.compile("^\\| `(durable\\.[^`]+)` \\| (.*?) \\| .+ \\|$", Pattern.MULTILINE);

    /** {@code | `retry.max-attempts` | … |}, in the table of the options of activities. */
    private static final Pattern OPTION = Pattern.compile("^\\| `([a-z.-]+)` \\| [^|]+ \\|$", Pattern.MULTILINE);

    private final JsonNode metadata = metadata();

    @Test
    void every_property_is_described() {
        assertThat(properties().values())
                .allSatisfy(property -> assertThat(property.path("description").asString(""))
                        .as("%s", property.path("name"))
                        .endsWith("."));
    }

    @Test
    void the_document_has_every_property_with_its_default_and_no_other() throws IOException {
        Map<String, String> expected = new TreeMap<>();
        properties().forEach((name, property) -> expected.put(name, "`" + shown(property) + "`"));
        // Of maps the table has what is below their keys.
        expected.remove("durable.activities");
        expected.remove("durable.queues");
        expected.put("durable.queues.NAME.slots", "`50`");
        expected.put("durable.queues.NAME.virtual-threads", "``");
        expected.put("durable.activities.TYPE.OPTION", "``");
        expected.put("durable.activities.TYPE.methods.METHOD.OPTION", "``");
        expected.replaceAll((name, value) -> value.equals("``") ? "" : value);

        Map<String, String> written = new TreeMap<>();
        for (Matcher row = ROW.matcher(document() + operations()); row.find(); ) {
            written.put(row.group(1), row.group(2).strip());
        }
        assertThat(written).isEqualTo(expected);
    }

    @Test
    void document_and_hints_have_the_options_of_activities_and_no_other() throws IOException {
        TreeSet<String> options = new TreeSet<>();
        Stream.of(Option.values()).map(Option::key).forEach(options::add);
        options.add("headers.NAME");

        TreeSet<String> written = new TreeSet<>();
        String table = document()
                .replaceFirst("(?s).*\n## Options of activities\n", "")
                .replaceFirst("(?s)\n## .*", "");
        for (Matcher row = OPTION.matcher(table.replace("NAME", "name")); row.find(); ) {
            written.add(row.group(1).replace("headers.name", "headers.NAME"));
        }
        assertThat(written).isEqualTo(options);

        TreeSet<String> hinted = new TreeSet<>();
        values("durable.activities.keys")
                .filter(value -> !value.contains(".methods."))
                .map(value -> value.replaceFirst("^Payments\\.", "").replace("headers.team", "headers.NAME"))
                .forEach(hinted::add);
        assertThat(hinted).isEqualTo(options);
    }

    private Map<String, JsonNode> properties() {
        Map<String, JsonNode> properties = new TreeMap<>();
        metadata.path("properties").forEach(property -> {
            String name = property.path("name").asString();
            if (name.startsWith("durable.")) {
                properties.put(name, property);
            }
        });
        return properties;
    }

    private Stream<String> values(String hint) {
        return metadata.path("hints")
                .valueStream()
                .filter(one -> hint.equals(one.path("name").asString()))
                .flatMap(one -> one.path("values").valueStream())
                .map(value -> value.path("value").asString());
    }

    private static String shown(JsonNode property) {
        JsonNode value = property.path("defaultValue");
        return value.isMissingNode() || value.isArray() && value.isEmpty() ? "" : value.asString();
    }

    /** Of what is no part of the engine. */
    private static String operations() throws IOException {
        return Files.readString(Path.of("..", "docs", "spring-operations.md"));
    }

    private static String document() throws IOException {
        return Files.readString(Path.of("..", "docs", "spring.md"));
    }

    private static JsonNode metadata() {
        try (InputStream in = MetadataTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            assertThat(in)
                    .as("spring-boot-configuration-processor writes it when the module is compiled")
                    .isNotNull();
            return JsonMapper.shared().readTree(in);
        } catch (IOException e) {
            throw new IllegalStateException("not to be read", e);
        }
    }
}
