package dev.durable.testing;

@DurableTest
class MemoryUpdateWithStartTest extends UpdateWithStartTest {}
