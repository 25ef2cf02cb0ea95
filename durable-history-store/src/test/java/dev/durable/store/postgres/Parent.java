package dev.durable.store.postgres;

import dev.durable.ChildOptions;
import dev.durable.ParentClosePolicy;
import dev.durable.history.MessageKind;
import dev.durable.history.ParentRun;
import dev.durable.history.Payload;
import dev.durable.store.ChildStart;
import dev.durable.store.HistoryStore;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.contract.StepBuilder;
import dev.durable.store.contract.Writer;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** A run whose code starts children, and numbers them and its messages. */
final class Parent {
    private final HistoryStore store;
    private final Writer writer;
    private final String type;
    private final String queue;
    private long children;
    private long messages;

    Parent(HistoryStore store, Writer writer, String type, String queue) {
        this.store = store;
        this.writer = writer;
        this.type = type;
        this.queue = queue;
    }

    Writer writer() {
        return writer;
    }

    RunKey run() {
        return writer.run();
    }

    /** A child that is asked for, and the step that asks for it. */
    RunKey starts(StepBuilder step, String workflowId, ChildOptions options) {
        return starts(step, workflowId, options, run());
    }

    private RunKey starts(StepBuilder step, String workflowId, ChildOptions options, RunKey root) {
        RunKey child = new RunKey(
                RunIds.create(
                        store.now(), workflowId, ThreadLocalRandom.current().nextLong()),
                workflowId);
        long number = ++children;
        ChildStart start = new ChildStart(
                child.runId(),
                type,
                queue,
                new Payload("[]"),
                options,
                new ParentRun(run().workflowId(), run().runId(), number, 1, root.workflowId(), root.runId()),
                null);
        step.sends(
                OutgoingMessage.toChain(
                        run().runId(),
                        ++messages,
                        workflowId,
                        child.runId(),
                        MessageKind.CHILD_START,
                        type,
                        start.json()),
                "ChildStartRequested",
                "{\"number\":" + number + ",\"message\":" + messages + ",\"workflowId\":\"" + workflowId
                        + "\",\"runId\":\"" + child.runId() + "\"}");
        return child;
    }

    RunKey starts(StepBuilder step, String workflowId, ParentClosePolicy policy) {
        return starts(step, workflowId, ChildOptions.defaults().parentClosePolicy(policy));
    }

    /** Asks for a child in a step of its own. */
    RunKey starts(String workflowId, ChildOptions options) {
        StepBuilder step = writer.step();
        RunKey child = starts(step, workflowId, options);
        writer.write(step);
        return child;
    }

    /** Asks for a child in a tree with this root. */
    RunKey starts(String workflowId, RunKey root) {
        StepBuilder step = writer.step();
        RunKey child = starts(step, workflowId, ChildOptions.defaults(), root);
        writer.write(step);
        return child;
    }

    RunKey starts(String workflowId) {
        return starts(workflowId, ChildOptions.defaults());
    }

    /** Sends an order or a message to a child. */
    void tells(long number, RunKey child, MessageKind kind, String type, String payload) {
        StepBuilder step = writer.step();
        step.sends(
                OutgoingMessage.toChain(
                        run().runId(), ++messages, child.workflowId(), child.runId(), kind, kind.name(), payload),
                type,
                "{\"number\":" + number + ",\"message\":" + messages + "}");
        writer.write(step);
    }

    UUID chain() {
        return run().runId();
    }
}
