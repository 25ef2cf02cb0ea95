package dev.durable.testing;

@DurableTest
class MemoryWhyWaitingTest extends WhyWaitingTest {}
