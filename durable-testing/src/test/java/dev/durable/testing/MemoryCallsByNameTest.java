package dev.durable.testing;

@DurableTest
class MemoryCallsByNameTest extends CallsByNameTest {}
