package dev.durable.testing;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@DurableTest(store = Store.POSTGRES)
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class PostgresRetriesFromFailureTest extends RetriesFromFailureTest {}
