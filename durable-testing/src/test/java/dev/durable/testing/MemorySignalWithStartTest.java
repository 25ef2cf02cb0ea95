package dev.durable.testing;

@DurableTest
class MemorySignalWithStartTest extends SignalWithStartTest {}
