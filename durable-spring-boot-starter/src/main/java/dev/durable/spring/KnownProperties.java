package dev.durable.spring;

import dev.durable.internal.declare.type.NameRules;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.core.env.Environment;

/**
 * Refuses properties below {@code durable.*} that nothing reads: a typing error would be silent otherwise. Environment
 * variables and system properties are not looked at, as other programs may have theirs there.
 *
 * <p>What {@link DurableProperties} has is known by its components. All else that the starter reads is known by the metadata
 * that is written when it is compiled, which is opened only where a key is left.
 */
final class KnownProperties {
    private static final Logger log = LoggerFactory.getLogger(KnownProperties.class);
    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of(DurableProperties.PREFIX);
    private static final String METADATA = "META-INF/spring-configuration-metadata.json";
    /** One element, of whatever name. */
    private static final String ANY = "*";
    /** Everything below. */
    private static final String ALL = "**";

    private final Set<String> names = new TreeSet<>();

    private KnownProperties() {}

    /** @throws SetupException where a key is not known */
    static void check(Environment environment) {
        KnownProperties known = new KnownProperties();
        known.add(DurableProperties.PREFIX, DurableProperties.class);
        List<ConfigurationPropertyName> left = known.unknownIn(environment);
        if (left.isEmpty()) {
            return;
        }
        boolean complete = known.addMetadata();
        List<ConfigurationPropertyName> unknown =
                left.stream().filter(name -> !known.has(name)).toList();
        if (!unknown.isEmpty() && complete) {
            throw known.refused(unknown);
        }
        unknown.forEach(name -> log.warn("the configuration has {}, which Durable may not know", name));
    }

    private List<ConfigurationPropertyName> unknownIn(Environment environment) {
        UnboundElementsSourceFilter filter = new UnboundElementsSourceFilter();
        Set<ConfigurationPropertyName> unknown = new TreeSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (filter.apply(source) && source instanceof IterableConfigurationPropertySource iterable) {
                iterable.stream()
                        .filter(PREFIX::isAncestorOf)
                        .filter(name -> !has(name))
                        .forEach(unknown::add);
            }
        }
        return List.copyOf(unknown);
    }

    private void add(String prefix, Class<?> type) {
        for (RecordComponent component : type.getRecordComponents()) {
            String name = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
            if (component.getType().isRecord()) {
                add(name, component.getType());
            } else if (Map.class.isAssignableFrom(component.getType())) {
                addMap(name, component.getGenericType());
            } else {
                names.add(name);
                if (Collection.class.isAssignableFrom(component.getType())) {
                    names.add(name + "." + ALL);
                }
            }
        }
    }

    private void addMap(String name, Type map) {
        Type values = ((ParameterizedType) map).getActualTypeArguments()[1];
        if (values instanceof Class<?> type && type.isRecord()) {
            add(name + "." + ANY, type);
        } else {
            names.add(name + "." + ALL);
        }
    }

    /**
     * Adds the starter's metadata; returns whether there is any: not where the jars of an application were merged into
     * one.
     */
    private boolean addMetadata() {
        boolean found = false;
        try {
            for (Enumeration<URL> files = KnownProperties.class.getClassLoader().getResources(METADATA);
                    files.hasMoreElements(); ) {
                try (InputStream in = files.nextElement().openStream()) {
                    String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                    if (text.contains("\"" + DurableProperties.PREFIX + ".")) {
                        found = true;
                        addAll(JsonParserFactory.getJsonParser().parseMap(text).get("properties"));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the metadata of configuration properties can't be read", e);
        }
        return found;
    }

    private void addAll(@Nullable Object properties) {
        if (properties instanceof List<?> all) {
            all.stream()
                    .filter(Map.class::isInstance)
                    .map(property -> (Map<?, ?>) property)
                    .filter(property -> String.valueOf(property.get("name")).startsWith(DurableProperties.PREFIX + "."))
                    // Known more exactly by their components.
                    .filter(property -> !DurableProperties.class.getName().equals(property.get("sourceType")))
                    .forEach(property -> {
                        String name = String.valueOf(property.get("name"));
                        names.add(name);
                        if (String.valueOf(property.get("type")).startsWith("java.util.")) {
                            names.add(name + "." + ALL);
                        }
                    });
        }
    }

    private boolean has(ConfigurationPropertyName name) {
        return names.stream().anyMatch(known -> matches(known.split("\\."), name));
    }

    private static boolean matches(String[] known, ConfigurationPropertyName name) {
        for (int i = 0; i < known.length; i++) {
            if (known[i].equals(ALL)) {
                return name.getNumberOfElements() > i;
            }
            if (i >= name.getNumberOfElements()
                    || !known[i].equals(ANY)
                            && !NameRules.relaxed(known[i])
                                    .equals(NameRules.relaxed(name.getElement(i, Form.UNIFORM)))) {
                return false;
            }
        }
        return known.length == name.getNumberOfElements();
    }

    private SetupException refused(List<ConfigurationPropertyName> unknown) {
        StringBuilder problem = new StringBuilder("The configuration has ")
                .append(unknown.size() == 1 ? "a key" : unknown.size() + " keys")
                .append(" below durable that Durable does not know:");
        for (ConfigurationPropertyName name : unknown) {
            problem.append(" ").append(name);
            NameRules.closest(name.toString(), shown(name))
                    .ifPresent(near ->
                            problem.append(" (did you mean ").append(near).append("?)"));
            problem.append(",");
        }
        problem.setCharAt(problem.length() - 1, '.');
        return new SetupException(
                problem.toString(),
                "Correct or remove " + (unknown.size() == 1 ? "it" : "them")
                        + ". docs/spring.md lists all keys; those of"
                        + " an application's own belong under another name than durable.");
    }

    /** The known names, with the elements of this one in place of those that may be any. */
    private Set<String> shown(ConfigurationPropertyName name) {
        Set<String> shown = new TreeSet<>();
        for (String known : names) {
            String[] elements = known.split("\\.");
            for (int i = 0; i < elements.length && i < name.getNumberOfElements(); i++) {
                elements[i] = elements[i].equals(ANY) ? name.getElement(i, Form.ORIGINAL) : elements[i];
            }
            shown.add(String.join(".", elements).replace("." + ALL, ""));
        }
        return shown;
    }
}
