package dev.durable.testing;

@DurableTest
class MemoryTracesTest extends TracesTest {}
