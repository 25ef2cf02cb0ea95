package dev.durable.testing;

@DurableTest
class BreakMemoryStoresTest extends BreakStoresTest {}
