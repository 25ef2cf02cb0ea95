package dev.durable.testing;

@DurableTest
class MemoryJobTimesTest extends JobTimesTest {}
