package dev.durable.testing;

@DurableTest
class MemoryScheduledJobsTest extends ScheduledJobsTest {}
