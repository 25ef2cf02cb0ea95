package dev.durable.samples.snippets;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Marked pieces of test sources, by name; the pieces of one name follow each other. */
final class Regions {
    private static final String MARK = "// docs: ";
    private static final String END = "end";

    private final Map<String, List<String>> lines = new LinkedHashMap<>();

    /** Pieces of tests, and of the patterns, which their tests run. */
    static Regions ofAllTests() {
        Regions regions = of(Documents.testSources());
        Documents.patternSources().forEach(regions::read);
        return regions;
    }

    static Regions of(List<Path> sources) {
        Regions regions = new Regions();
        sources.forEach(regions::read);
        return regions;
    }

    private void read(Path file) {
        List<String> open = null;
        for (String line : Documents.lines(file)) {
            String mark = line.strip();
            if (!mark.startsWith(MARK)) {
                if (open != null) {
                    open.add(line);
                }
            } else if (mark.equals(MARK + END)) {
                open = null;
            } else {
                open = lines.computeIfAbsent(mark.substring(MARK.length()), name -> new ArrayList<>());
            }
        }
    }

    Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        lines.forEach((name, region) -> texts.put(
                name, String.join("\n", region).stripTrailing().stripIndent().strip()));
        return texts;
    }
}
