package dev.durable.samples.patterns.agent;

import dev.durable.ConflictPolicy;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.Demo;
import java.util.List;

/** A model that looks up an invoice and answers. */
public class AgentDemo implements Demo {
    @Override
    public String name() {
        return "agent";
    }

    @Override
    public List<Class<?>> workflows() {
        return List.of(AgentWorkflow.class);
    }

    @Override
    public List<Object> activities() {
        Model model = conversation -> conversation.size() == 1
                ? new Model.Call("find", "invoice 7", 40)
                : new Model.Answer("It is " + conversation.getLast().substring("tool: ".length()), 30);
        Tools tools = (tool, input) -> input + " of 12.00 EUR";
        return List.of(model, tools);
    }

    @Override
    public WorkflowHandle<?, ?> run(DurableClient client) {
        StartOptions question = StartOptions.id("question-of-ann").conflictPolicy(ConflictPolicy.USE_EXISTING);
        return client.start(AgentWorkflow.class, question, w -> w.run("which invoice is open?", 1000));
    }
}
