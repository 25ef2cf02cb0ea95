package dev.durable.internal.replay.coroutine;

import dev.durable.PayloadException;
import dev.durable.history.Payload;
import dev.durable.history.SignalReceived;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.payload.PayloadCodec;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Decodes payloads of the history to the types of the code. A payload that does not fit them stalls the run, and its
 * exception never reaches the code: the data is history, so only the code can still be mended, and an exception in the
 * code would fail the run for good.
 */
public final class HistoryDecoder {
    private final PayloadCodec codec;
    private final Dispatcher dispatcher;

    public HistoryDecoder(PayloadCodec codec, Dispatcher dispatcher) {
        this.codec = codec;
        this.dispatcher = dispatcher;
    }

    @Nullable
    public Object decode(Payload payload, Type type, String what) {
        try {
            return type == void.class ? null : codec.decode(payload, type, what);
        } catch (PayloadException e) {
            throw stalled(e);
        }
    }

    /**
     * Decodes a value that comes from outside, without a stall.
     *
     * @throws PayloadException where it is not of the type
     */
    @Nullable
    public Object decodeGiven(Payload payload, Type type, String what) {
        return codec.decode(payload, type, what);
    }

    /** Decodes the arguments of a run. */
    @Nullable
    public Object[] decodeArguments(MethodSpec method, WorkflowStarted started) {
        try {
            return method.isOfAnyType()
                    ? codec.argumentsOfAnyType(method, started.workflowType(), started.input())
                    : codec.decodeArguments(method, started.input());
        } catch (PayloadException e) {
            throw stalled(e);
        }
    }

    /** Decodes the arguments of a signal, which its sender chose. */
    @Nullable
    public Object[] decodeArguments(MethodSpec method, SignalReceived signal) {
        try {
            return method.isOfAnyName()
                    ? codec.argumentsOfAnyName(method, signal.name(), signal.input())
                    : codec.decodeArguments(method, signal.input());
        } catch (PayloadException e) {
            dispatcher.die(dispatcher.threads().unreadableSignal(signal, e));
            throw Eviction.INSTANCE;
        }
    }

    /** Decodes the arguments of an update, which were readable when it was judged. */
    @Nullable
    public Object[] decodeArguments(MethodSpec method, UpdateAccepted update) {
        try {
            return method.isOfAnyName()
                    ? codec.argumentsOfAnyName(method, update.name(), update.input())
                    : codec.decodeArguments(method, update.input());
        } catch (PayloadException e) {
            throw stalled(e);
        }
    }

    private Eviction stalled(PayloadException e) {
        dispatcher.die(dispatcher.threads().unreadable(e));
        return Eviction.INSTANCE;
    }
}
