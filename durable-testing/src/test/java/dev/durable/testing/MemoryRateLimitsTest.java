package dev.durable.testing;

@DurableTest
class MemoryRateLimitsTest extends RateLimitsTest {}
