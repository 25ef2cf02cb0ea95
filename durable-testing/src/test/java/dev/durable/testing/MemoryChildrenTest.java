package dev.durable.testing;

@DurableTest
class MemoryChildrenTest extends ChildrenTest {}
