package dev.durable.testing;

@DurableTest(store = Store.POSTGRES)
class PostgresOperatorsTest extends OperatorsTest {}
