package dev.durable.testing;

@DurableTest
class MemoryIncidentsTest extends IncidentsTest {}
