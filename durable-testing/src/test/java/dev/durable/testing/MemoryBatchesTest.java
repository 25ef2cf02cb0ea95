package dev.durable.testing;

@DurableTest
class MemoryBatchesTest extends BatchesTest {}
