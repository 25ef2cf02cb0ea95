package dev.durable.testing;

@DurableTest
class MemoryCallbacksTest extends CallbacksTest {}
