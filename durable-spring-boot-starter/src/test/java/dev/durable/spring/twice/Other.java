package dev.durable.spring.twice;

import dev.durable.Run;
import dev.durable.Workflow;

/** Has the name of another. */
@Workflow(name = "Same")
public class Other {
    @Run
    public void run() {}
}
