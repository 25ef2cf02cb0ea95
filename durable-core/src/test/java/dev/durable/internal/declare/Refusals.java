package dev.durable.internal.declare;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.RegistrationException;
import org.assertj.core.api.AbstractThrowableAssert;

/** The errors of a registration for wrong declarations. */
final class Refusals {
    private Refusals() {}

    static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(Object... registered) {
        return assertRefused(Registry.builder().register(registered));
    }

    static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(Registry.Builder builder) {
        return assertThatThrownBy(builder::build).isInstanceOf(RegistrationException.class);
    }
}
