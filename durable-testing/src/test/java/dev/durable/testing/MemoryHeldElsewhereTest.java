package dev.durable.testing;

@DurableTest
class MemoryHeldElsewhereTest extends HeldElsewhereTest {}
