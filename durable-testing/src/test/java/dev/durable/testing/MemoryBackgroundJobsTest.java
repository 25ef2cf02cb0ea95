package dev.durable.testing;

@DurableTest
class MemoryBackgroundJobsTest extends BackgroundJobsTest {}
