package dev.durable.spring.actuate;

import dev.durable.internal.text.JdbcUrl;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.springframework.boot.actuate.autoconfigure.context.properties.ConfigurationPropertiesReportEndpointProperties;
import org.springframework.boot.actuate.context.properties.ConfigurationPropertiesReportEndpoint;
import org.springframework.boot.actuate.context.properties.ConfigurationPropertiesReportEndpointWebExtension;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;

/**
 * Shows the properties of {@code durable.*} that are in force, as Boot's own {@code /actuator/configprops} does: their
 * values to the users whom {@code management.endpoint.configprops.show-values} and its {@code roles} name. Passwords,
 * tokens and the like and the values of headers are masked for all, URLs shown without their secrets; the application's
 * own {@link SanitizingFunction}s count as well.
 */
final class ConfigSection {
    private static final String PREFIX = "durable";
    private static final Pattern HEADER = Pattern.compile("\\bheaders\\b[.\\[\\]]");

    private final ConfigurationPropertiesReportEndpointWebExtension report;

    ConfigSection(List<SanitizingFunction> sanitizing, ApplicationContext context) {
        List<SanitizingFunction> all = new ArrayList<>(sanitizing);
        all.add(SanitizingFunction.sanitizeValue().ifLikelySensitive());
        all.add(ConfigSection::withoutSecrets);
        ConfigurationPropertiesReportEndpointProperties boots = Binder.get(context.getEnvironment())
                .bindOrCreate("management.endpoint.configprops", ConfigurationPropertiesReportEndpointProperties.class);
        ConfigurationPropertiesReportEndpoint endpoint =
                new ConfigurationPropertiesReportEndpoint(all, boots.getShowValues());
        endpoint.setApplicationContext(context);
        report = new ConfigurationPropertiesReportEndpointWebExtension(
                endpoint, boots.getShowValues(), boots.getRoles());
    }

    private static SanitizableData withoutSecrets(SanitizableData data) {
        if (HEADER.matcher(data.getLowerCaseKey()).find()) {
            return data.withSanitizedValue();
        }
        return data.getValue() instanceof String text && text.startsWith("jdbc:")
                ? data.withValue(JdbcUrl.withoutSecrets(text))
                : data;
    }

    /** The properties by their prefixes: {@code durable}, {@code durable.web} and so on. */
    Map<String, Object> show(SecurityContext security) {
        Map<String, Object> shown = new TreeMap<>();
        report.configurationProperties(security).getContexts().values().stream()
                .flatMap(context -> context.getBeans().values().stream())
                .filter(bean ->
                        bean.getPrefix().equals(PREFIX) || bean.getPrefix().startsWith(PREFIX + "."))
                .forEach(bean -> shown.put(bean.getPrefix(), bean.getProperties()));
        return shown;
    }
}
