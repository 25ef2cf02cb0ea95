package dev.durable.logs;

import static java.util.stream.Collectors.toCollection;

import dev.durable.history.Payload;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes each record of a package, with a marker in all text that is no name, and looks for it in what the record shows. */
public final class RecordTexts {
    private static final String MARKER = "m4rker";
    private static final UUID ID = UUID.fromString("7f1e5000-0000-4000-8000-000000000001");
    private static final Pattern TOKEN = Pattern.compile("(?i)[a-z]*(fence|lease|token)=" + ID);
    private static final int TRIES = 100;
    private static final int MOST_COMPONENTS = 10;

    /** Components that may be shown as they are: they say what a record is about. */
    private static final Set<String> NAMES = Set.of(
            "type",
            "workflowType",
            "workflowId",
            "childWorkflowId",
            "childType",
            "typeNames",
            "rootWorkflowId",
            "updateId",
            // run id and number of an activity
            "idempotencyKey",
            "taskQueue",
            "queueOfOthers",
            "build",
            "activity",
            "name",
            "changeId",
            "query",
            "update",
            "action",
            "actor",
            "by",
            "from",
            "batch",
            "identity",
            "fingerprint",
            "handler",
            "reason",
            "target",
            "eventType",
            "state",
            "formerTypes",
            "types",
            "queues",
            "taskQueues",
            "served",
            "servedAlone",
            "pinnedTo",
            "activities",
            "workflowTypes",
            "pausedActivities",
            "doNotRetry",
            "retryIf",
            "worker",
            "names",
            "aliases",
            "pool",
            "hands",
            "resolution",
            "kind",
            "workflowIdPrefix",
            "defaultQueue",
            "id",
            "jobId",
            "event",
            "signal",
            "stream",
            "startedBy",
            "traceId",
            "onExhausted",
            // The log names it beside the queue where a body does not stop.
            "limitKey",
            // Options of a newer release, by their names.
            "unknown",
            // The engine's own words, or an exception's message after the sanitizer.
            "problems",
            "why",
            "lastFailure");

    private final Random random = new Random(20);

    /**
     * What records of these packages, and of those below them, show that they must not, one line each.
     *
     * @param beside a class of the module whose records are meant
     * @param exempt simple names of records with text that is no payload
     */
    public static List<String> leaks(Class<?> beside, List<String> packages, Set<String> exempt) throws Exception {
        RecordTexts texts = new RecordTexts();
        TreeSet<String> leaks = new TreeSet<>();
        int looked = 0;
        for (Class<?> type : records(beside, packages)) {
            if (!exempt.contains(simple(type))) {
                looked++;
                texts.look(type, leaks);
            }
        }
        if (looked < 10) {
            leaks.add("only " + looked + " records were found");
        }
        return List.copyOf(leaks);
    }

    /**
     * Records of these packages, and of those below them, with more than ten components.
     *
     * @param beside a class of the module whose records are meant
     */
    public static List<String> wide(Class<?> beside, List<String> packages) throws Exception {
        return records(beside, packages).stream()
                .filter(type -> type.getRecordComponents().length > MOST_COMPONENTS)
                .map(RecordTexts::simple)
                .sorted()
                .toList();
    }

    private void look(Class<?> type, Set<String> leaks) throws Exception {
        boolean made = false;
        for (int i = 0; i < TRIES; i++) {
            Object instance = make(type, 3);
            if (instance == null) {
                continue;
            }
            made = true;
            String text = instance.toString();
            if (text.contains(MARKER)) {
                leaks.add(simple(type) + " shows text: "
                        + text.replaceAll("(?s)^.*?(\\w+=[^=]{0,30}" + MARKER + ").*", "$1"));
            }
            if (TOKEN.matcher(text).find()) {
                leaks.add(simple(type) + " shows a fence, lease or token");
            }
        }
        if (!made) {
            leaks.add(simple(type) + " can't be made by this test: say why it is exempt");
        }
    }

    private static String simple(Class<?> type) {
        return type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
    }

    private @Nullable Object make(Class<?> type, int depth) throws Exception {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        Constructor<?> constructor = type.getDeclaredConstructor(types);
        constructor.setAccessible(true);
        Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            boolean nullable = components[i].getAnnotatedType().isAnnotationPresent(Nullable.class);
            values[i] = nullable && random.nextBoolean()
                    ? null
                    : value(components[i].getName(), components[i].getGenericType(), depth);
        }
        try {
            return constructor.newInstance(values);
        } catch (InvocationTargetException refused) {
            return null;
        }
    }

    private @Nullable Object value(String name, Type generic, int depth) throws Exception {
        Class<?> type = generic instanceof Class<?> plain
                ? plain
                : generic instanceof ParameterizedType p ? (Class<?>) p.getRawType() : Object.class;
        if (type == String.class) {
            return NAMES.contains(name) ? "a-name" : MARKER;
        }
        if (type == UUID.class) {
            return ID;
        }
        if (type == Payload.class) {
            return Payload.of("\"" + MARKER + "\"");
        }
        if (type == boolean.class || type == Boolean.class) {
            return random.nextBoolean();
        }
        if (type == int.class || type == Integer.class) {
            return 1 + random.nextInt(3);
        }
        if (type == long.class || type == Long.class) {
            return 1L + random.nextInt(3);
        }
        if (type == double.class || type == Double.class) {
            return 1.0;
        }
        if (type == Instant.class) {
            return Instant.EPOCH;
        }
        if (type == Duration.class) {
            return Duration.ofSeconds(random.nextInt(3));
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[random.nextInt(type.getEnumConstants().length)];
        }
        if (type == Optional.class) {
            return Optional.ofNullable(argument(name, generic, 0, depth));
        }
        if (type == Map.class) {
            Object value = argument(name, generic, 1, depth);
            return value == null || argument(name, generic, 0, depth) instanceof String == false
                    ? Map.of()
                    : Map.of("a-key", value);
        }
        if (type == Set.class) {
            Object value = argument(name, generic, 0, depth);
            return value == null ? Set.of() : Set.of(value);
        }
        if (type.isAssignableFrom(List.class) && type != Object.class) {
            Object value = argument(name, generic, 0, depth);
            return value == null ? List.of() : List.of(value);
        }
        if (type.isRecord()) {
            return depth == 0 ? null : make(type, depth - 1);
        }
        if (type.isSealed()) {
            List<Class<?>> permitted = Arrays.asList(type.getPermittedSubclasses());
            Collections.shuffle(permitted, random);
            return depth == 0 ? null : value(name, permitted.getFirst(), depth - 1);
        }
        return null;
    }

    private @Nullable Object argument(String name, Type generic, int index, int depth) throws Exception {
        return depth > 0 && generic instanceof ParameterizedType p
                ? value(name, p.getActualTypeArguments()[index], depth - 1)
                : null;
    }

    private static Set<Class<?>> records(Class<?> beside, List<String> packages) throws Exception {
        TreeSet<String> names = new TreeSet<>();
        for (String name : packages) {
            for (URL folder : Collections.list(beside.getClassLoader().getResources(name.replace('.', '/')))) {
                if (folder.getProtocol().equals("file") && !folder.getPath().contains("/test-classes/")) {
                    names.addAll(namesIn(folder.toURI(), name));
                }
            }
        }
        Set<Class<?>> records = new java.util.LinkedHashSet<>();
        for (String name : names) {
            Class<?> type = Class.forName(name, false, beside.getClassLoader());
            if (type.isRecord() && !Modifier.isAbstract(type.getModifiers())) {
                records.add(type);
            }
        }
        return records;
    }

    private static Set<String> namesIn(URI folder, String packageName) throws IOException {
        Path root = Path.of(folder);
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(file -> root.relativize(file).toString())
                    .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
                    .map(file -> packageName + "."
                            + file.substring(0, file.length() - ".class".length())
                                    .replace(File.separatorChar, '.'))
                    .collect(toCollection(TreeSet::new));
        }
    }

    private RecordTexts() {}
}
