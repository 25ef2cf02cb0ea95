package dev.durable.spring.app;

import org.springframework.transaction.annotation.Transactional;

/** A transaction around something else, that rolls back after it. */
public class Surroundings {
    Surroundings() {}

    @Transactional
    public void rollBackAfter(Runnable inner) {
        inner.run();
        throw new IllegalStateException("rolled back after it");
    }
}
