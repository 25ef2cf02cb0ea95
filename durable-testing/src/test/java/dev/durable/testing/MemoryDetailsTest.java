package dev.durable.testing;

@DurableTest
class MemoryDetailsTest extends DetailsTest {}
