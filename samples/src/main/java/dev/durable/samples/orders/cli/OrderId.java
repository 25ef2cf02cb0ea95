package dev.durable.samples.orders.cli;

import dev.durable.samples.orders.Order;
import picocli.CommandLine.ITypeConverter;

/** An order's id on the command line: {@code 20001}, or {@code order-20001} as lists and views show it. */
final class OrderId implements ITypeConverter<String> {
    private static final String PREFIX = Order.workflowId("");

    @Override
    public String convert(String text) {
        return text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text;
    }
}
