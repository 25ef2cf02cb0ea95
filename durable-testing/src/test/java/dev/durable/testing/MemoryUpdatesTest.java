package dev.durable.testing;

@DurableTest
class MemoryUpdatesTest extends UpdatesTest {}
