package dev.durable.spring;

import dev.durable.DurableException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows why an application did not start as the message it is, instead of a stack of bean creations. */
final class DurableFailureAnalyzer extends AbstractFailureAnalyzer<DurableException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, DurableException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), wayOut(cause), cause);
    }

    /** All others say it in their message. */
    private static @Nullable String wayOut(DurableException cause) {
        return cause instanceof SetupException setup ? setup.wayOut() : null;
    }
}
