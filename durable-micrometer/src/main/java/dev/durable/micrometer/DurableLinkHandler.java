package dev.durable.micrometer;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;

/**
 * Makes spans that begin a trace of their own and are linked to the span of a start long ago, where headers have that as
 * W3C's {@code traceparent}. To be registered in front of Micrometer's own handler for receivers; needs {@code
 * micrometer-tracing}. Without it such a span has no link, only the attribute {@code durable.origin}.
 */
public final class DurableLinkHandler extends PropagatingReceiverTracingObservationHandler<LinkedContext> {
    public DurableLinkHandler(Tracer tracer, Propagator propagator) {
        super(tracer, propagator);
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof LinkedContext;
    }

    @Override
    public Span.Builder customizeExtractedSpan(LinkedContext context, Span.Builder builder) {
        origin(context.origin()).ifPresent(span -> builder.addLink(new Link(span)));
        return builder;
    }

    private Optional<TraceContext> origin(Map<String, String> headers) {
        Matcher parts = DurableTracing.span(headers);
        return parts.matches()
                ? Optional.of(getTracer()
                        .traceContextBuilder()
                        .traceId(parts.group(1))
                        .spanId(parts.group(2))
                        .sampled((Integer.parseInt(parts.group(3), 16) & 1) == 1)
                        .build())
                : Optional.empty();
    }
}
