package dev.durable.testing;

@DurableTest
class MemoryQueuesTest extends QueuesTest {}
