package dev.durable.testing;

@DurableTest
class MemoryMessagesAtTheEndTest extends MessagesAtTheEndTest {}
