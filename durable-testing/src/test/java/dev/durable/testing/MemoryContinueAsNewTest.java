package dev.durable.testing;

@DurableTest
class MemoryContinueAsNewTest extends ContinueAsNewTest {}
