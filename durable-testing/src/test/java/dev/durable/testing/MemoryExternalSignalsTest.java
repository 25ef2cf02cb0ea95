package dev.durable.testing;

@DurableTest
class MemoryExternalSignalsTest extends ExternalSignalsTest {}
