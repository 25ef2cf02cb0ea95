package dev.durable.testing;

@DurableTest(store = Store.POSTGRES)
class PostgresEndToEndTest extends EndToEndTest {}
