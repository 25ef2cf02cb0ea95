package dev.durable.spring;

import dev.durable.DurableException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows why an application did not start as the message it is, instead of a stack of bean creations. */
final class DurableFailureAnalyzer extends AbstractFailureAnalyzer<DurableException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, DurableException cause) {
        // All others say in their message what to do.
        return cause instanceof SetupException setup
                ? new FailureAnalysis(setup.problem(), setup.wayOut(), setup)
                : new FailureAnalysis(String.valueOf(cause.getMessage()), null, cause);
    }
}
