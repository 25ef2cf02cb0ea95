package dev.durable.benchmarks.jmh;

import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.StoredEvent;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** Events to the text that is stored, and back. */
@State(Scope.Benchmark)
public class EventJsonBenchmark {
    private final List<HistoryEvent> events = List.copyOf(Recorded.sequence().history());
    private final List<StoredEvent> stored =
            events.stream().map(EventJson::encode).toList();

    /** As transitions write them. */
    @Benchmark
    @OperationsPerInvocation(Recorded.EVENTS)
    public void encode(Blackhole hole) {
        events.forEach(event -> hole.consume(EventJson.encode(event)));
    }

    /** As rebuilds read them. */
    @Benchmark
    @OperationsPerInvocation(Recorded.EVENTS)
    public void decode(Blackhole hole) {
        stored.forEach(event -> hole.consume(EventJson.decode(event)));
    }
}
