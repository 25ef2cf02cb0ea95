package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What editors know of {@code durable.*}: every property, with its description and its default. */
class MetadataTest {

    @Test
    void every_property_is_described_and_has_its_default() throws Exception {
        Map<String, JsonNode> properties = properties();

        String[] fields = Arrays.stream(DurableProperties.class.getDeclaredFields())
                .filter(field -> !field.isSynthetic() && !field.getName().startsWith("$"))
                .map(field -> "durable." + kebab(field.getName()))
                .toArray(String[]::new);
        assertThat(properties.keySet()).containsExactlyInAnyOrder(fields);
        assertThat(properties.values())
                .allSatisfy(property ->
                        assertThat(property.path("description").asString("")).isNotEmpty());
        assertThat(properties.get("durable.session-lease").path("defaultValue").asString())
                .isEqualTo("30s");
        assertThat(properties.get("durable.activities").path("type").asString())
                .isEqualTo("java.util.Map<java.lang.String,java.lang.String>");
    }

    private static Map<String, JsonNode> properties() throws Exception {
        Map<String, JsonNode> properties = new TreeMap<>();
        try (InputStream in = MetadataTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            assertThat(in)
                    .as("spring-boot-configuration-processor writes it when the module is compiled")
                    .isNotNull();
            JsonMapper.shared()
                    .readTree(in)
                    .path("properties")
                    .forEach(property -> properties.put(property.path("name").asString(), property));
        }
        return properties;
    }

    private static String kebab(String camel) {
        return camel.replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT);
    }
}
