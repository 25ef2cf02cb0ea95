package dev.durable.internal.replay.call;

import dev.durable.RefusedInputException;
import dev.durable.UsageException;
import dev.durable.WorkflowStream;
import dev.durable.history.Payload;
import dev.durable.history.StreamAppended;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** Implements streams that workflow code writes: each append is a command, and nothing waits for it. */
final class StreamCalls {
    private final DurableCalls run;
    private final WaitCalls waiting;
    private final CurrentTurn journal;
    private final PayloadCodec codec;

    StreamCalls(DurableCalls run, WaitCalls waiting, CurrentTurn journal, PayloadCodec codec) {
        this.run = run;
        this.waiting = waiting;
        this.journal = journal;
        this.codec = codec;
    }

    @SuppressWarnings("ConstantValue") // callers without null checks may pass null
    <T extends @Nullable Object> WorkflowStream<T> stream(String name, Type type) {
        if (name == null || type == null) {
            throw new UsageException("Durable.stream(" + name + ", " + type + "): give the name of the stream and the"
                    + " type of its values, such as Durable.stream(\"tokens\", String.class).");
        }
        try {
            return new Stream<>(Bounds.name("Durable.stream: the stream", name), type);
        } catch (RefusedInputException e) {
            throw new UsageException(Thrown.of(e).words(), e);
        }
    }

    private void append(String stream, @Nullable Object value, Type type) {
        Payload recorded = journal.expected() instanceof StreamAppended next
                        && next.stream().equals(stream)
                ? next.value()
                : null;
        String what = "an entry of stream " + stream;
        Payload json = ExternalCalls.checked(
                "WorkflowStream.append",
                () -> codec.encode(value, type, what),
                recorded,
                () -> codec.asRecorded().encode(value, type, what));
        journal.put((id, at) -> new StreamAppended(id, at, stream, json));
    }

    private final class Stream<T extends @Nullable Object> implements WorkflowStream<T> {
        private final String name;
        private final Type type;

        Stream(String name, Type type) {
            this.name = name;
            this.type = type;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void append(T value) {
            if (DurableCalls.current("WorkflowStream.append") != run) {
                throw new UsageException("WorkflowStream.append was called on a stream of another run. Get it by"
                        + " Durable.stream(…) where it is used, never from a static field.");
            }
            waiting.mayCommand("WorkflowStream.append");
            StreamCalls.this.append(name, value, type);
        }

        @Override
        public String toString() {
            return "WorkflowStream[" + name + "]";
        }
    }
}
