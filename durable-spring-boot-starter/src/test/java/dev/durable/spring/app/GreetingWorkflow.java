package dev.durable.spring.app;

import dev.durable.Run;
import dev.durable.Workflow;

/** Found by its annotation. */
@Workflow
public class GreetingWorkflow {
    private final Greetings greetings;

    public GreetingWorkflow(Greetings greetings) {
        this.greetings = greetings;
    }

    @Run
    public String run(String name) {
        return greetings.greet(name);
    }
}
