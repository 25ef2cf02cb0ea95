package dev.durable.testing;

@DurableTest
class MemoryStreamsTest extends StreamsTest {}
