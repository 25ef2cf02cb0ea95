package dev.durable.internal.declare;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.RegistrationException;
import org.assertj.core.api.AbstractThrowableAssert;

/** What registration says to declarations that are wrong. */
final class Refusals {
    private Refusals() {}

    static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(Object... registered) {
        return assertRefused(Registry.builder().register(registered));
    }

    static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(Registry.Builder builder) {
        return assertThatThrownBy(builder::build).isInstanceOf(RegistrationException.class);
    }
}
