package dev.durable.testing;

import org.junit.jupiter.api.Tag;

@DurableTest(store = Store.POSTGRES)
@Tag("slow")
class PostgresPatientKitTest extends PatientKitTest {
    @Override
    Store store() {
        return Store.POSTGRES;
    }
}
