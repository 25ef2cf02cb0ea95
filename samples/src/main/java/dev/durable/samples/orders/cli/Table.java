package dev.durable.samples.orders.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Rows of text under a heading, in columns as wide as their widest cell. */
final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    Table(String... heading) {
        rows.add(List.of(heading));
    }

    void row(Object... cells) {
        rows.add(List.of(cells).stream().map(String::valueOf).toList());
    }

    void print(PrintWriter out) {
        int[] widths = IntStream.range(0, rows.getFirst().size())
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        for (List<String> row : rows) {
            String line = IntStream.range(0, row.size())
                    .mapToObj(column -> padded(row.get(column), widths[column]))
                    .collect(Collectors.joining("  "));
            out.println(line.stripTrailing());
        }
    }

    private static String padded(String cell, int width) {
        return cell + " ".repeat(width - cell.length());
    }
}
