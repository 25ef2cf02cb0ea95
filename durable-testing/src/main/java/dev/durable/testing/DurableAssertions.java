package dev.durable.testing;

import dev.durable.history.History;
import org.assertj.core.api.Assertions;

/** AssertJ's assertions, and those on histories. */
public final class DurableAssertions extends Assertions {
    private DurableAssertions() {}

    /** Begins assertions about a history. */
    public static HistoryAssert assertThat(History actual) {
        return new HistoryAssert(actual);
    }
}
