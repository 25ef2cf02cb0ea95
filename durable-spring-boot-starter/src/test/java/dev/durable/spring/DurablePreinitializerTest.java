package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.core.io.support.SpringFactoriesLoader;

class DurablePreinitializerTest {
    /** Spring Boot swallows what a preinitializer throws. */
    @Test
    void spring_boot_finds_it_and_it_fails_at_nothing() {
        assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(BackgroundPreinitializer.class))
                .filteredOn(DurablePreinitializer.class::isInstance)
                .singleElement()
                .satisfies(found -> assertThatCode(found::preinitialize).doesNotThrowAnyException());
    }
}
