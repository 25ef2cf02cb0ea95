package dev.durable.testing;

@DurableTest
class MemoryReportedHangsTest extends ReportedHangsTest {
    @Override
    Store store() {
        return Store.MEMORY;
    }
}
