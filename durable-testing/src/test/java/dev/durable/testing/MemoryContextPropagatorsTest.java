package dev.durable.testing;

@DurableTest
class MemoryContextPropagatorsTest extends ContextPropagatorsTest {}
