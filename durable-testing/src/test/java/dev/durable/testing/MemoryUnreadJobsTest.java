package dev.durable.testing;

@DurableTest
class MemoryUnreadJobsTest extends UnreadJobsTest {}
