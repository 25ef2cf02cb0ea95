package dev.durable.testing;

@DurableTest
class MemoryOperatorRacesTest extends OperatorRacesTest {}
