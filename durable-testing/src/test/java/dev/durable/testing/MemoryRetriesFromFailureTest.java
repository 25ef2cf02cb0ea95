package dev.durable.testing;

@DurableTest
class MemoryRetriesFromFailureTest extends RetriesFromFailureTest {}
