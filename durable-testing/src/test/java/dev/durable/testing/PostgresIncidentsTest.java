package dev.durable.testing;

@DurableTest(store = Store.POSTGRES)
class PostgresIncidentsTest extends IncidentsTest {}
