package dev.durable.testing;

@DurableTest
class MemoryFirstTurnTest extends FirstTurnTest {}
