package dev.durable.testing;

@DurableTest
class MemoryCancellationTest extends CancellationTest {}
