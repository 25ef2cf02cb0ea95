package dev.durable.testing;

@DurableTest
class MemoryGeneratedIdsTest extends GeneratedIdsTest {}
