package dev.durable.samples.patterns.statemachine;

import dev.durable.Activity;
import dev.durable.samples.patterns.statemachine.ParcelWorkflow.State;

/** Tells the customer. */
@Activity
public interface Notices {
    void entered(State state);
}
