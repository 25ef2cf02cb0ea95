package dev.durable.testing;

@DurableTest
class MemoryUnknownWorkflowTypesTest extends UnknownWorkflowTypesTest {}
