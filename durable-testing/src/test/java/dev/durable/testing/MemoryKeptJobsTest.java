package dev.durable.testing;

@DurableTest
class MemoryKeptJobsTest extends KeptJobsTest {}
