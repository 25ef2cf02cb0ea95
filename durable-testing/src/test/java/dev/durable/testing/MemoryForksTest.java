package dev.durable.testing;

@DurableTest
class MemoryForksTest extends ForksTest {}
