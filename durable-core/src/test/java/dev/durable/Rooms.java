package dev.durable;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A table of packages and of those that each may use, held against the classes: every package stands in it, uses only
 * packages that its own line names, which stand above it, and uses each of those.
 */
public final class Rooms {
    private final Map<String, Set<String>> mayUse = new LinkedHashMap<>();
    private final Set<String> everybodys;
    private final Set<String> vocabulary;

    /**
     * Reads a table.
     *
     * @param table a line for each package: its name, a colon, the packages that it may use
     * @param everybodys packages that all may use and that may use all: what users see, and what is generated
     * @param vocabulary packages of the table that all others may use, too
     */
    public Rooms(String table, Set<String> everybodys, Set<String> vocabulary) {
        this.everybodys = everybodys;
        this.vocabulary = vocabulary;
        table.lines().filter(line -> !line.isBlank()).forEach(line -> {
            int colon = line.indexOf(':');
            Set<String> used = new TreeSet<>(List.of((line.substring(colon + 1).strip()).split(" +", -1)));
            used.remove("");
            if (!mayUse.keySet().containsAll(used)) {
                throw new AssertionError("not all of these stand above it: " + line);
            }
            mayUse.put(line.substring(0, colon).strip(), used);
        });
    }

    /**
     * What is not as the table says, a line each.
     *
     * @param names the name in the table of each package that counts, by its full name
     */
    public List<String> violations(JavaClasses classes, Map<String, String> names) {
        List<String> found = new ArrayList<>();
        Map<String, Set<String>> seen = new LinkedHashMap<>();
        for (JavaClass type : classes) {
            String from = names.get(type.getPackageName());
            if (from == null || everybodys.contains(from)) {
                continue;
            }
            Set<String> allowed = mayUse.get(from);
            if (allowed == null) {
                found.add(from + " does not stand in the table");
                continue;
            }
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                String to = names.get(
                        dependency.getTargetClass().getBaseComponentType().getPackageName());
                if (to == null
                        || to.equals(from)
                        || everybodys.contains(to)
                        || vocabulary.contains(to) && !vocabulary.contains(from)) {
                    continue;
                }
                seen.computeIfAbsent(from, room -> new TreeSet<>()).add(to);
                if (!allowed.contains(to)) {
                    found.add(from + " uses " + to + ": " + dependency.getDescription());
                }
            }
        }
        mayUse.forEach((room, used) -> used.stream()
                .filter(one -> !seen.getOrDefault(room, Set.of()).contains(one))
                .forEach(one -> found.add(room + " does not use " + one + ": take it out of the table")));
        return found;
    }
}
