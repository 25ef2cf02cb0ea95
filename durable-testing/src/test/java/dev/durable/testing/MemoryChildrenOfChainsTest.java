package dev.durable.testing;

@DurableTest
class MemoryChildrenOfChainsTest extends ChildrenOfChainsTest {}
