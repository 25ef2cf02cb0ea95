package dev.durable.testing;

@DurableTest(store = Store.POSTGRES)
class PostgresLocalActivitiesTest extends LocalActivitiesTest {}
