package dev.durable.testing;

@DurableTest
class MemoryResetsTest extends ResetsTest {}
