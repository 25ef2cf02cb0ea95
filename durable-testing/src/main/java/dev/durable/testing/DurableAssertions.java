package dev.durable.testing;

import dev.durable.history.History;
import org.assertj.core.api.Assertions;

/** AssertJ's assertions, and those on histories. */
public final class DurableAssertions extends Assertions {
    private DurableAssertions() {}

    /** What a history says. */
    public static HistoryAssert assertThat(History actual) {
        return new HistoryAssert(actual);
    }
}
