package dev.durable.testing;

@DurableTest(store = Store.POSTGRES)
class PostgresPatientKitTest extends PatientKitTest {
    @Override
    Store store() {
        return Store.POSTGRES;
    }
}
