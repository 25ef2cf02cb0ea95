package dev.durable.samples.snippets;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The documents and the tested sources of this repository, from where tests of this module run. */
final class Documents {
    static final Path ROOT = Path.of("..");

    private Documents() {}

    /**
     * A fenced block.
     *
     * @param file the document
     * @param line of its first line of text, from 1
     * @param language what stands behind the fence
     * @param name the second word there; empty if there is none
     * @param text what is in it
     */
    record Block(Path file, int line, String language, String name, String text) {
        String where() {
            return ROOT.relativize(file) + ", line " + line;
        }
    }

    /** The READMEs, this one's and those of the samples, and what lies directly in {@code docs}. */
    static List<Path> documents() {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            Stream<Path> roots = Stream.of(
                    ROOT.resolve("README.md"),
                    ROOT.resolve("CONTRIBUTING.md"),
                    ROOT.resolve("samples/README.md"),
                    ROOT.resolve("samples/plain/README.md"),
                    ROOT.resolve("samples/spring-orders/README.md"));
            return Stream.concat(roots, docs.filter(path -> path.toString().endsWith(".md")))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The decisions, by number. */
    static List<Path> decisions() {
        try (Stream<Path> files = Files.list(ROOT.resolve("docs/decisions"))) {
            return files.filter(path -> path.getFileName().toString().matches("\\d.*[.]md"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sources of the sample in Kotlin, all of which the tests run. */
    static List<Path> kotlinSources() {
        return sourcesBelow(ROOT.resolve("samples/kotlin/src"), ".kt").sorted().toList();
    }

    /** Sources of the patterns, all of which the tests of their module run. */
    static List<Path> patternSources() {
        return sourcesBelow(ROOT.resolve("samples/patterns/src/main"), ".java")
                .sorted()
                .toList();
    }

    /** Sources of all modules' tests. */
    static List<Path> testSources() {
        try (Stream<Path> modules = Files.list(ROOT);
                Stream<Path> samples = Files.list(ROOT.resolve("samples"))) {
            return Stream.concat(modules, samples)
                    .map(module -> module.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .flatMap(folder -> sourcesBelow(folder, ".java"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Block> blocks(String language) {
        return documents().stream()
                .flatMap(file -> blocksOf(file).stream())
                .filter(block -> block.language().equals(language))
                .toList();
    }

    static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Block> blocksOf(Path file) {
        List<Block> blocks = new ArrayList<>();
        List<String> text = new ArrayList<>();
        String[] fence = null;
        int number = 0;
        int first = 0;
        for (String line : lines(file)) {
            number++;
            if (!line.startsWith("```")) {
                text.add(line);
            } else if (fence == null) {
                fence = (line.substring(3).strip() + "  ").split(" ", 3);
                first = number + 1;
                text.clear();
            } else {
                blocks.add(new Block(file, first, fence[0], fence[1], String.join("\n", text)));
                fence = null;
            }
        }
        return blocks;
    }

    private static Stream<Path> sourcesBelow(Path folder, String ending) {
        try (Stream<Path> walk = Files.walk(folder)) {
            return walk.filter(path -> path.toString().endsWith(ending)).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
