package dev.durable.testing;

@DurableTest(store = Store.POSTGRES)
class PostgresBackgroundJobsTest extends BackgroundJobsTest {}
