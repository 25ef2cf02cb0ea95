package dev.durable.testing;

@DurableTest
class MemoryChildTreeTest extends ChildTreeTest {}
