package dev.durable.samples.snippets;

import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Parcels that arrive when they were asked after for the third time; knows what was done. */
class Depot implements Parcels {
    final List<String> done = new CopyOnWriteArrayList<>();
    private final AtomicInteger asked = new AtomicInteger();

    @Override
    public BigDecimal quote(String carrier, String order) {
        return new BigDecimal(carrier.length());
    }

    @Override
    public String label(String order) {
        if (order.isBlank()) {
            throw new IllegalArgumentException("an order needs a name");
        }
        done.add("label " + order);
        return "L-" + order;
    }

    @Override
    public void scrap(String label) {
        done.add("scrap " + label);
    }

    @Override
    public boolean delivered(String label) {
        return asked.incrementAndGet() >= 3;
    }

    @Override
    public void tell(String text) {
        done.add(text);
    }
}
