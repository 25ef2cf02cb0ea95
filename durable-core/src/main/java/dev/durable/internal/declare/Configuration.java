package dev.durable.internal.declare;

import dev.durable.internal.declare.option.Option;
import dev.durable.internal.declare.option.OptionLevel;
import dev.durable.internal.declare.type.NameRules;
import dev.durable.internal.declare.type.Problems;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Options from configuration, {@code durable.activities.Payments.start-to-close} and {@code
 * durable.activities.Payments.methods.charge.retry.max-attempts}. Spelling is relaxed ({@code startToClose} is
 * accepted, too); a key that names no option is an error, because a typing error would be silent otherwise.
 */
final class Configuration {
    static final String PREFIX = "durable.activities.";
    private static final String METHODS = "methods";
    private static final String HEADERS = "headers";

    private final Map<String, OptionLevel> levels = new HashMap<>();
    private final Collection<ActivityDeclaration> types;
    private final Problems problems;

    private Configuration(Collection<ActivityDeclaration> types, Problems problems) {
        this.types = types;
        this.problems = problems;
    }

    /** Reads all keys, in a stable order. */
    static Configuration read(
            Map<String, String> properties, Collection<ActivityDeclaration> types, Problems problems) {
        Configuration configuration = new Configuration(types, problems);
        new TreeMap<>(properties).forEach(configuration::read);
        return configuration;
    }

    /** Returns a configuration without options. */
    static Configuration none() {
        return new Configuration(List.of(), new Problems());
    }

    /**
     * Returns the options configured for one activity: those of its type, and over them those of the activity itself.
     */
    OptionLevel of(ActivityDeclaration type, ActivityDeclaration.Declared activity) {
        return level(activity.name()).over(level(type.name()));
    }

    private OptionLevel level(String name) {
        return levels.getOrDefault(name, new OptionLevel());
    }

    private void read(String key, String value) {
        if (!key.startsWith(PREFIX)) {
            problems.add(OptionProblems.foreignKey(key));
            return;
        }
        String rest = key.substring(PREFIX.length());
        Optional<Match<ActivityDeclaration>> type = match(rest, types, t -> Stream.of(t.name()));
        if (type.isEmpty()) {
            List<String> names = types.stream().map(ActivityDeclaration::name).toList();
            problems.add(OptionProblems.unknownType(key, rest, names));
        } else {
            readOfType(new Property(key, value), type.get().found(), type.get().rest());
        }
    }

    private void readOfType(Property property, ActivityDeclaration type, String rest) {
        if (!rest.startsWith(METHODS + ".")) {
            set(property, levels.computeIfAbsent(type.name(), name -> new OptionLevel()), rest);
            return;
        }
        String ofMethod = rest.substring(METHODS.length() + 1);
        Optional<Match<ActivityDeclaration.Declared>> method = match(
                ofMethod,
                type.activities(),
                a -> Stream.of(a.shortName(), a.entry().method().getName()));
        if (method.isEmpty()) {
            List<String> names = type.activities().stream()
                    .map(ActivityDeclaration.Declared::shortName)
                    .toList();
            problems.add(OptionProblems.unknownMethod(property.key(), firstOf(ofMethod), type.name(), names));
        } else {
            String name = method.get().found().name();
            set(
                    property,
                    levels.computeIfAbsent(name, n -> new OptionLevel()),
                    method.get().rest());
        }
    }

    private void set(Property property, OptionLevel level, String optionKey) {
        if (optionKey.startsWith(HEADERS + ".")) {
            level.header(optionKey.substring(HEADERS.length() + 1), property.value());
            return;
        }
        Optional<Option> option = Stream.of(Option.values())
                .filter(o -> NameRules.relaxed(o.key()).equals(NameRules.relaxed(optionKey)))
                .findFirst();
        if (option.isEmpty()) {
            problems.add(OptionProblems.unknownOption(property.key(), optionKey));
        } else if (level.sets(option.get())) {
            problems.add(OptionProblems.twice(property.key()));
        } else {
            set(property, level, option.get());
        }
    }

    private void set(Property property, OptionLevel level, Option option) {
        try {
            level.set(option, option.value().read(property.value()));
        } catch (IllegalArgumentException e) {
            problems.add(OptionProblems.wrongValue(property.key(), e));
        }
    }

    /**
     * Returns the type or activity that is named at the front of the key; names may have dots in them, so the longest
     * match counts.
     */
    private static <T> Optional<Match<T>> match(String key, Collection<T> all, Function<T, Stream<String>> names) {
        List<String> words = Arrays.asList(key.split("\\.", -1));
        for (int length = words.size() - 1; length > 0; length--) {
            String front = NameRules.relaxed(String.join(".", words.subList(0, length)));
            String rest = String.join(".", words.subList(length, words.size()));
            for (T one : all) {
                if (names.apply(one).map(NameRules::relaxed).anyMatch(front::equals)) {
                    return Optional.of(new Match<>(one, rest));
                }
            }
        }
        return Optional.empty();
    }

    private static String firstOf(String key) {
        return key.contains(".") ? key.substring(0, key.indexOf('.')) : key;
    }

    private record Property(String key, String value) {}

    private record Match<T>(T found, String rest) {}
}
