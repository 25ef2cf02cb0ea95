package dev.durable.samples.snippets;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The tests of all modules, as their sources say: what there is, and whether it runs. */
final class TestMethods {
    private static final Pattern METHOD = Pattern.compile("^ +(?:\\w+ )?void (\\w+)\\(.*");
    private static final Pattern RUNS = Pattern.compile("^ +@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\\b.*");
    private static final Pattern EXTENDS = Pattern.compile("\\bclass \\w+ extends (\\w+)\\b");

    private final Map<String, Set<String>> running = new HashMap<>();
    private final Map<String, Set<String>> extendedBy = new HashMap<>();

    private TestMethods() {}

    static TestMethods ofAllModules() {
        TestMethods tests = new TestMethods();
        Documents.testSources().forEach(tests::read);
        return tests;
    }

    /** The reasons why this test can't be named; none where it exists and runs. */
    List<String> problem(String className, String method) {
        Set<String> methods = running.get(className);
        if (methods == null) {
            return List.of("there is no class " + className + " among the tests");
        }
        if (!methods.contains(method)) {
            return List.of(className + " has no method " + method + " with @Test and without @Disabled");
        }
        return isRun(className) ? List.of() : List.of("no test extends " + className + ", so it never runs");
    }

    /** Surefire takes what ends with Test; a contract runs where a test extends it. */
    private boolean isRun(String className) {
        return className.endsWith("Test")
                || extendedBy.getOrDefault(className, Set.of()).stream().anyMatch(this::isRun);
    }

    private void read(Path source) {
        String name = source.getFileName().toString().replace(".java", "");
        Set<String> methods = running.computeIfAbsent(name, each -> new HashSet<>());
        boolean runs = false;
        boolean disabled = false;
        for (String line : Documents.lines(source)) {
            Matcher extended = EXTENDS.matcher(line);
            if (extended.find()) {
                extendedBy
                        .computeIfAbsent(extended.group(1), each -> new HashSet<>())
                        .add(name);
            }
            runs |= RUNS.matcher(line).matches();
            disabled |= line.strip().startsWith("@Disabled");
            Matcher method = METHOD.matcher(line);
            if (method.matches()) {
                if (runs && !disabled) {
                    methods.add(method.group(1));
                }
                runs = false;
                disabled = false;
            }
        }
    }
}
