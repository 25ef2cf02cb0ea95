package dev.durable.samples.snippets;

import java.math.BigDecimal;

record Order(String id, BigDecimal total) {}
