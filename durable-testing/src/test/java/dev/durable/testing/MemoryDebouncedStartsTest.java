package dev.durable.testing;

@DurableTest
class MemoryDebouncedStartsTest extends DebouncedStartsTest {}
