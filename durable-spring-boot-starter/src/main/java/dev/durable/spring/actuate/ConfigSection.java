package dev.durable.spring.actuate;

import dev.durable.store.JdbcUrl;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.actuate.context.properties.ConfigurationPropertiesReportEndpoint;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.context.ApplicationContext;

/**
 * Shows the values of {@code durable.*} that are in force, as Boot's own {@code /actuator/configprops} does. Passwords,
 * tokens and the like are masked, URLs shown without their secrets; the application's own {@link SanitizingFunction}s count
 * as well.
 */
final class ConfigSection {
    private static final String PREFIX = "durable";

    private final ConfigurationPropertiesReportEndpoint report;

    ConfigSection(List<SanitizingFunction> sanitizing, ApplicationContext context) {
        List<SanitizingFunction> all = new ArrayList<>(sanitizing);
        all.add(SanitizingFunction.sanitizeValue().ifLikelySensitive());
        all.add(ConfigSection::withoutSecrets);
        report = new ConfigurationPropertiesReportEndpoint(all, Show.ALWAYS);
        report.setApplicationContext(context);
    }

    private static SanitizableData withoutSecrets(SanitizableData data) {
        return data.getValue() instanceof String text && text.startsWith("jdbc:")
                ? data.withValue(JdbcUrl.withoutSecrets(text))
                : data;
    }

    /** The properties by their prefixes: {@code durable}, {@code durable.web} and so on. */
    Map<String, Object> show() {
        Map<String, Object> shown = new TreeMap<>();
        report.configurationPropertiesWithPrefix(PREFIX).getContexts().values().stream()
                .flatMap(context -> context.getBeans().values().stream())
                .filter(bean ->
                        bean.getPrefix().equals(PREFIX) || bean.getPrefix().startsWith(PREFIX + "."))
                .forEach(bean -> shown.put(bean.getPrefix(), bean.getProperties()));
        return shown;
    }
}
