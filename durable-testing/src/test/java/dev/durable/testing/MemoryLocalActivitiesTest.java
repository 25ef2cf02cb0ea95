package dev.durable.testing;

@DurableTest
class MemoryLocalActivitiesTest extends LocalActivitiesTest {}
