package dev.durable.testing;

@DurableTest
class MemoryInterceptorsTest extends InterceptorsTest {}
