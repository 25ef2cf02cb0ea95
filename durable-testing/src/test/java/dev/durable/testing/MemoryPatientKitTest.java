package dev.durable.testing;

@DurableTest
class MemoryPatientKitTest extends PatientKitTest {
    @Override
    Store store() {
        return Store.MEMORY;
    }
}
