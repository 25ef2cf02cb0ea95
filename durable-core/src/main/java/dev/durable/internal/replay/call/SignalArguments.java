package dev.durable.internal.replay.call;

import dev.durable.RefusedInputException;
import dev.durable.history.Payload;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.internal.text.Bounds;
import dev.durable.store.JobStart;
import org.jspecify.annotations.Nullable;

/** Checks signals that clients and workflow code send, and encodes their arguments. */
public final class SignalArguments {
    private SignalArguments() {}

    /**
     * Encodes the arguments of a signal, checked where the workflow's type is known.
     *
     * @param workflow the type of the target; null where it is not known
     * @throws RefusedInputException if the name can't be one, or the type has no such signal
     * @throws dev.durable.PayloadException if the arguments do not fit the signal or are too large
     */
    public static Payload encode(
            PayloadCodec codec, @Nullable WorkflowType workflow, String signal, @Nullable Object[] arguments) {
        Bounds.name("signal(…): the signal", signal);
        if (workflow != null && workflow.name().equals(JobStart.TYPE)) {
            throw new RefusedInputException(
                    "signal " + signal + " was not sent: a background job takes no signals, only"
                            + " a workflow does. A job can be cancelled, client.job(id).cancel(…), and steered by its"
                            + " control(): client.job(id).control().");
        }
        MethodSpec spec = workflow == null ? null : workflow.methods().signals().get(signal);
        if (workflow != null && workflow.signal(signal) == null) {
            throw new RefusedInputException("workflow " + workflow.name() + " has no signal " + signal + "; it has "
                    + workflow.methods().signals().keySet().stream().sorted().toList());
        }
        return spec == null ? codec.encodeArguments(signal, arguments) : codec.encodeArguments(spec, arguments);
    }
}
