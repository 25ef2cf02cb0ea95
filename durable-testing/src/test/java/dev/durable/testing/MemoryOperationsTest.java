package dev.durable.testing;

@DurableTest
class MemoryOperationsTest extends OperationsTest {}
