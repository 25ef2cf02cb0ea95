package dev.durable.samples.patterns.agent;

import dev.durable.ActivityFailedException;
import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Update;
import dev.durable.Workflow;
import dev.durable.samples.patterns.agent.Model.Answer;
import dev.durable.samples.patterns.agent.Model.Call;
import dev.durable.samples.patterns.agent.Model.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

// docs: pattern-agent
/** Lets a model use tools until it has an answer, or has used up its tokens. */
@Workflow
public class AgentWorkflow {
    private static final Set<String> DANGEROUS = Set.of("pay", "delete");

    private final Model model;
    private final Tools tools;
    private final List<String> conversation = new ArrayList<>();
    private boolean asking;
    private @Nullable Boolean allowed;

    AgentWorkflow(Model model, Tools tools) {
        this.model = model;
        this.tools = tools;
    }

    @Run
    public String run(String question, int tokens) {
        conversation.add("user: " + question);
        for (int left = tokens; left > 0; ) {
            Step step = model.next(conversation); // recorded: a crash asks, and pays for, no step twice
            left -= step.tokens();
            switch (step) {
                case Answer answer -> {
                    return answer.text();
                }
                case Call call -> {
                    conversation.add("model: " + call.tool() + " " + call.input());
                    conversation.add("tool: " + use(call));
                }
            }
        }
        return "no answer within " + tokens + " tokens";
    }

    private String use(Call call) {
        if (DANGEROUS.contains(call.tool()) && !isAllowed()) {
            return "refused by a person";
        }
        try {
            return tools.call(call.tool(), call.input());
        } catch (ActivityFailedException e) { // the model reads it, and may try something else
            return "failed: " + e.getMessage();
        }
    }

    private boolean isAllowed() {
        allowed = null;
        asking = true;
        Durable.await(Duration.ofHours(8), () -> allowed != null);
        asking = false;
        return Boolean.TRUE.equals(allowed); // no answer is a refusal
    }

    @Update
    public void decide(boolean allow) {
        allowed = allow;
    }

    @Update.Validator("decide")
    void check(boolean allow) {
        if (!asking || allowed != null) {
            throw new IllegalStateException("no tool waits for approval");
        }
    }

    @Query
    public List<String> conversation() {
        return conversation;
    }
}
// docs: end
