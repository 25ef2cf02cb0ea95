package dev.durable.testing;

@DurableTest
class MemoryPauseTest extends PauseTest {}
