package dev.durable.spring.dev;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows why the embedded PostgreSQL was refused, and what to do. */
final class EmbeddedPostgresRefusedAnalyzer extends AbstractFailureAnalyzer<EmbeddedPostgresRefusedException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, EmbeddedPostgresRefusedException cause) {
        return new FailureAnalysis(cause.problem(), cause.wayOut(), cause);
    }
}
