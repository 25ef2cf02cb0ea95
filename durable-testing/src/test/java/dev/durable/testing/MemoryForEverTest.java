package dev.durable.testing;

@DurableTest
class MemoryForEverTest extends ForEverTest {}
