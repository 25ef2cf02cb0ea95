package dev.durable.internal.replay.call;

import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;

/** The target of messages. */
@Workflow
class Addressee {
    @Run
    void run() {}

    @Signal
    void hear(String word) {}
}
