package dev.durable.micrometer;

import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.EventPublishingContextWrapper;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.micrometer.tracing.otel.bridge.Slf4JEventListener;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** An observation registry whose spans OpenTelemetry makes, as in an application, and which a test sees. */
final class Spans implements SpanExporter {
    private static final Slf4JEventListener MDC = new Slf4JEventListener();

    static {
        // Where OpenTelemetry tells whose scope is open, for the MDC; one for the process.
        ContextStorage.addWrapper(new EventPublishingContextWrapper(MDC::onEvent));
    }

    private final List<SpanData> ended = new CopyOnWriteArrayList<>();
    private final Consumer<SpanData> told;
    private final ObservationRegistry registry = ObservationRegistry.create();

    Spans() {
        this(span -> {});
    }

    /** @param told gets each span that has ended */
    Spans(Consumer<SpanData> told) {
        this.told = told;
        SdkTracerProvider provider = SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(this))
                .build();
        Tracer spans = provider.get("test");
        OtelTracer tracer = new OtelTracer(spans, new OtelCurrentTraceContext(), MDC::onEvent);
        OtelPropagator propagator =
                new OtelPropagator(ContextPropagators.create(W3CTraceContextPropagator.getInstance()), spans);
        registry.observationConfig()
                .observationHandler(new FirstMatchingCompositeObservationHandler(
                        new DurableLinkHandler(tracer, propagator),
                        new PropagatingReceiverTracingObservationHandler<>(tracer, propagator),
                        new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
                        new DefaultTracingObservationHandler(tracer)));
    }

    ObservationRegistry registry() {
        return registry;
    }

    /** In the order in which they ended. */
    List<SpanData> all() {
        return List.copyOf(ended);
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        ended.addAll(spans);
        spans.forEach(told);
        return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
        return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
        return CompletableResultCode.ofSuccess();
    }
}
