package dev.durable.testing;

@DurableTest
class MemoryOperatorsTest extends OperatorsTest {}
