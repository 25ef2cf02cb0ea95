package dev.durable.testing;

@DurableTest
class MemoryFailedAttemptsTest extends FailedAttemptsTest {}
