package dev.durable.testing;

@DurableTest(store = Store.POSTGRES)
class PostgresQueuesTest extends QueuesTest {}
