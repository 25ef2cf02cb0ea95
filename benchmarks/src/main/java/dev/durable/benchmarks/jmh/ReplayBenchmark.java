package dev.durable.benchmarks.jmh;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Rebuilding runs from their histories, payloads decoded: events per second, and switches between coroutines. */
@State(Scope.Benchmark)
public class ReplayBenchmark {
    private final Recorded sequence = Recorded.sequence();
    private final Recorded fanout = Recorded.fanout();
    private final Recorded pingPong = Recorded.pingPong();

    /** A turn for each activity. */
    @Benchmark
    @OperationsPerInvocation(Recorded.EVENTS)
    public void eventsOfASequence() {
        sequence.replay();
    }

    /** One turn with all the commands, each matched with its event. */
    @Benchmark
    @OperationsPerInvocation(Recorded.EVENTS)
    public void eventsOfAFanout() {
        fanout.replay();
    }

    /** From one coroutine to another. */
    @Benchmark
    @OperationsPerInvocation(2 * Recorded.STEPS)
    public void coroutineSwitches() {
        pingPong.replay();
    }
}
