package dev.durable.samples.orders.cli;

import dev.durable.samples.orders.Order;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A file of orders, one a line, the first line naming the columns. A line that is no order is reported with its number
 * and the reason, and the rest go on.
 *
 * @param orders the good ones, in the file's order
 * @param malformed the others
 */
record OrderFile(List<Order> orders, List<Malformed> malformed) {

    /**
     * A line that is no order.
     *
     * @param number its number, from 1
     * @param reason what is wrong with it
     */
    record Malformed(int number, String reason) {}

    static OrderFile read(Path file) throws IOException {
        // A reader of this kind replaces bytes that are no UTF-8 instead of giving up: they spoil their own line only.
        try (var lines =
                new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
            return read(lines);
        }
    }

    static OrderFile read(BufferedReader lines) throws IOException {
        List<Order> orders = new ArrayList<>();
        List<Malformed> malformed = new ArrayList<>();
        Map<String, Integer> seen = new HashMap<>();
        lines.readLine(); // the columns
        int number = 1;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            number++;
            try {
                Order order = OrderLine.parse(line);
                Integer first = seen.putIfAbsent(order.id(), number);
                if (first != null) {
                    throw new IllegalArgumentException("order " + order.id() + " already stands in line " + first);
                }
                orders.add(order);
            } catch (IllegalArgumentException e) {
                malformed.add(new Malformed(number, String.valueOf(e.getMessage())));
            }
        }
        return new OrderFile(orders, malformed);
    }

    /** The first orders only. */
    OrderFile first(int limit) {
        return new OrderFile(orders.subList(0, Math.min(limit, orders.size())), malformed);
    }

    /** Says what was read and what could not be. */
    void report(Path file, PrintWriter out) {
        Path shown = file.toAbsolutePath();
        Path here = Path.of("").toAbsolutePath();
        out.printf(
                "%s: %d orders, %d malformed lines%n",
                shown.startsWith(here) ? here.relativize(shown) : file, orders.size(), malformed.size());
        malformed.forEach(line -> out.printf("  line %d: %s%n", line.number(), line.reason()));
    }
}
