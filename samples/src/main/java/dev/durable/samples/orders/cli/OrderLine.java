package dev.durable.samples.orders.cli;

import dev.durable.samples.orders.Money;
import dev.durable.samples.orders.Order;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One line of an order file: fields between commas, those that contain a comma in double quotes. */
final class OrderLine {
    static final List<String> COLUMNS = List.of(
            "id", "placed_at", "customer", "email", "country", "card", "sku", "quantity", "unit_price", "currency");

    private static final Pattern FIELD = Pattern.compile("\\G(?:\"([^\"]*)\"|([^,\"]*))(,|$)");
    private static final Pattern EMAIL = Pattern.compile("[^@\\s]+@[^@\\s]+");
    private static final Pattern COUNTRY = Pattern.compile("[A-Z]{2}");
    private static final Pattern QUANTITY = Pattern.compile("[1-9]\\d{0,3}");
    private static final Pattern PRICE = Pattern.compile("(?!0+\\.00)\\d{1,5}\\.\\d{2}");
    private static final Pattern EUROS = Pattern.compile("EUR");

    private final List<String> fields;

    private OrderLine(List<String> fields) {
        this.fields = fields;
    }

    /**
     * Reads an order.
     *
     * @throws IllegalArgumentException saying what is wrong with the line
     */
    static Order parse(String line) {
        OrderLine it = new OrderLine(split(line));
        return new Order(
                it.text("id"),
                it.time("placed_at"),
                it.text("customer"),
                it.text("email", EMAIL, "an e-mail address"),
                it.text("country", COUNTRY, "a two-letter country code"),
                it.text("card"),
                it.text("sku"),
                Integer.parseInt(it.text("quantity", QUANTITY, "a whole number from 1 to 9999")),
                new Money(
                        new BigDecimal(it.text("unit_price", PRICE, "a price such as 12.50")),
                        it.text("currency", EUROS, "EUR, the only one we sell in")));
    }

    private static List<String> split(String line) {
        if (line.isBlank()) {
            throw new IllegalArgumentException("empty line");
        }
        if (line.indexOf('\uFFFD') >= 0) {
            throw new IllegalArgumentException("not UTF-8");
        }
        List<String> fields = new ArrayList<>();
        Matcher field = FIELD.matcher(line);
        boolean more = true;
        while (more && field.find()) {
            fields.add((field.group(1) != null ? field.group(1) : field.group(2)).strip());
            more = !field.group(3).isEmpty();
        }
        if (more) {
            throw new IllegalArgumentException("unbalanced quotes");
        }
        if (fields.size() != COLUMNS.size()) {
            throw new IllegalArgumentException(fields.size() + " fields instead of " + COLUMNS.size());
        }
        return fields;
    }

    private String text(String column) {
        String text = fields.get(COLUMNS.indexOf(column));
        if (text.isEmpty()) {
            throw new IllegalArgumentException(column + " is empty");
        }
        return text;
    }

    private String text(String column, Pattern pattern, String what) {
        String text = text(column);
        if (!pattern.matcher(text).matches()) {
            throw new IllegalArgumentException(column + " \"" + text + "\" is not " + what);
        }
        return text;
    }

    private Instant time(String column) {
        String text = text(column);
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    column + " \"" + text + "\" is not a time such as 2026-03-02T08:14:09Z", e);
        }
    }
}
