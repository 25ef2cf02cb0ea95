package dev.durable.testing;

@DurableTest
class MemoryAnyTypeTest extends AnyTypeTest {}
