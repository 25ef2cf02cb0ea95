package dev.durable.testing;

@DurableTest(store = Store.POSTGRES)
class PostgresHeldElsewhereTest extends HeldElsewhereTest {}
