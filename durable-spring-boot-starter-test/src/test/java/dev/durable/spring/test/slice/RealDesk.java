package dev.durable.spring.test.slice;

import org.springframework.stereotype.Component;

/** Talks to a service that no test may reach. */
@Component
class RealDesk implements Desk {
    RealDesk() {
        throw new IllegalStateException("no test wants this");
    }

    @Override
    public String book(String trip) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void cancel(String trip) {
        throw new UnsupportedOperationException();
    }
}
