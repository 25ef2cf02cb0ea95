package dev.durable.samples.patterns.agent;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.NonDeterminismException;
import dev.durable.Run;
import dev.durable.UpdateRejectedException;
import dev.durable.Workflow;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.agent.Model.Answer;
import dev.durable.samples.patterns.agent.Model.Call;
import dev.durable.samples.patterns.agent.Model.Step;
import dev.durable.testing.DurableTest;
import dev.durable.testing.Replayer;
import dev.durable.testing.TestEngine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

@DurableTest
class AgentWorkflowTest {
    private static final Path RECORDED = Path.of("src/test/resources/histories/agent.json");

    private final Deque<Step> steps = new ArrayDeque<>();
    private final List<String> used = new ArrayList<>();

    @Test
    void theModelUsesToolsUntilItHasAnAnswer(TestEngine engine) {
        steps.add(tool("find", "invoice 7"));
        steps.add(answer("12.00 EUR"));
        var agent = start(engine);

        assertThat(agent.result()).isEqualTo("12.00 EUR");
        List<String> conversation = agent.query(w -> w.conversation());
        assertThat(conversation).containsExactly("user: which?", "model: find invoice 7", "tool: found invoice 7");
    }

    @Test
    void aPaymentWaitsForAPersonAndIsMadeOnceAllowed(TestEngine engine) {
        steps.add(tool("pay", "invoice 7"));
        steps.add(answer("paid"));
        var agent = start(engine);
        engine.advance(Duration.ofHours(2));
        assertThat(used).isEmpty();

        agent.updateVoid(w -> w.decide(true));

        assertThat(agent.result()).isEqualTo("paid");
        assertThat(used).containsExactly("pay invoice 7");
    }

    @Test
    void aPaymentThatNoPersonAllowsIsNotMade(TestEngine engine) {
        steps.add(tool("pay", "invoice 7"));
        steps.add(answer("not paid"));

        assertThat(start(engine).result()).isEqualTo("not paid");
        assertThat(used).isEmpty();
    }

    @Test
    void ofTwoDecisionsTheFirstCounts(TestEngine engine) {
        steps.add(tool("pay", "invoice 7"));
        steps.add(answer("not paid"));
        var agent = start(engine);
        engine.settle();
        agent.pause(); // so that both wait when the run goes on
        agent.startUpdateVoid(w -> w.decide(false), WaitFor.SENT);
        var second = agent.startUpdateVoid(w -> w.decide(true), WaitFor.SENT);
        agent.resume();

        assertThat(agent.result()).isEqualTo("not paid");
        assertThatThrownBy(second::result)
                .isInstanceOf(UpdateRejectedException.class)
                .hasMessageContaining("no tool waits for approval");
    }

    @Test
    void theModelReadsThatAToolHasFailed(TestEngine engine) {
        steps.add(tool("break", "it"));
        steps.add(answer("sorry"));
        var agent = start(engine);

        assertThat(agent.result()).isEqualTo("sorry");
        List<String> conversation = agent.query(w -> w.conversation());
        assertThat(conversation.getLast()).startsWith("tool: failed: ").endsWith("it is broken");
        assertThat(used).containsExactly("break it", "break it", "break it");
    }

    @Test
    void anAgentStopsWhenItsTokensAreUsedUp(TestEngine engine) {
        for (int i = 0; i < 20; i++) {
            steps.add(tool("find", "more"));
        }

        assertThat(start(engine).result()).isEqualTo("no answer within 100 tokens");
        assertThat(used).hasSize(10);
    }

    @Test
    void aRecordedConversationReplaysAndNeedsNeitherModelNorTools() {
        assertThat(Replayer.of(AgentWorkflow.class).replay(RECORDED)).isOne();
    }

    @Test
    void anAgentThatAsksOtherwiseIsFoundByTheRecordedConversation() {
        assertThatThrownBy(() -> Replayer.of(HastyAgent.class).replay(RECORDED))
                .isInstanceOf(NonDeterminismException.class)
                .hasMessageContaining("Tools.call");
    }

    /** A changed agent: it uses a tool before it asks the model. */
    @Workflow(name = "AgentWorkflow")
    static class HastyAgent {
        private final Tools tools;

        HastyAgent(Tools tools) {
            this.tools = tools;
        }

        @Run
        String run(String question, int tokens) {
            return tools.call("find", question);
        }
    }

    private WorkflowHandle<AgentWorkflow, String> start(TestEngine engine) {
        engine.register(AgentWorkflow.class)
                .activity(Model.class, conversation -> steps.isEmpty() ? answer("?") : steps.removeFirst())
                .activity(Tools.class, (tool, input) -> {
                    used.add(tool + " " + input);
                    if (tool.equals("break")) {
                        throw new IllegalStateException(input + " is broken");
                    }
                    return "found " + input;
                });
        return engine.client().start(AgentWorkflow.class, "agent", w -> w.run("which?", 100));
    }

    private static Step tool(String tool, String input) {
        return new Call(tool, input, 10);
    }

    private static Step answer(String text) {
        return new Answer(text, 10);
    }
}
