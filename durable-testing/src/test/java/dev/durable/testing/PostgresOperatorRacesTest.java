package dev.durable.testing;

@DurableTest(store = Store.POSTGRES)
class PostgresOperatorRacesTest extends OperatorRacesTest {}
