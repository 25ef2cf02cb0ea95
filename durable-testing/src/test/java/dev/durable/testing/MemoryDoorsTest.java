package dev.durable.testing;

@DurableTest
class MemoryDoorsTest extends DoorsTest {}
