package dev.durable.testing;

@DurableTest
class MemoryWorkflowRetryTest extends WorkflowRetryTest {}
