package dev.durable.samples.snippets;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Callback;
import dev.durable.CallbackEndedException;
import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Results that come from outside, and starts that become one, as {@code docs/workflows.md} shows them. */
@DurableTest
class CallbackTest {
    record Approval(String by, boolean granted) {}

    @Activity
    interface Approvers {
        void ask(String item, String token);
    }

    // docs: callback
    @Workflow
    static class Purchase {
        private final Approvers approvers;

        Purchase(Approvers approvers) {
            this.approvers = approvers;
        }

        @Run
        String run(String item) {
            Callback<Approval> approval = Durable.callback(Approval.class, Duration.ofDays(3));
            approvers.ask(item, approval.token()); // for example in a link of a mail
            try {
                Approval given = approval.promise().get();
                return given.granted() ? "bought for " + given.by() : "refused by " + given.by();
            } catch (WaitTimedOutException e) {
                return "no answer in three days";
            }
        }
    }
    // docs: end

    @Workflow
    static class Reindex {
        @Run
        String run(String document, int version) {
            return document + " " + version;
        }
    }

    private static void changed(DurableClient client, String document, int version) {
        // docs: debounce
        StartOptions quietly =
                StartOptions.id("reindex-" + document).debounce(Duration.ofSeconds(30), Duration.ofMinutes(10));
        client.start(Reindex.class, quietly, w -> w.run(document, version));
        // docs: end
    }

    @Test
    void manyChangesAreOneRun(TestEngine engine) {
        DurableClient client = engine.register(Reindex.class).client();
        for (int version = 1; version <= 3; version++) {
            changed(client, "d7", version);
            engine.advance(Duration.ofSeconds(20));
        }
        assertThat(client.handle("reindex-d7").resultAs(String.class)).isEqualTo("d7 3");
    }

    @Test
    void whoeverGetsTheTokenAnswers(TestEngine engine) {
        List<String> tokens = new ArrayList<>();
        engine.register(Purchase.class).activity(Approvers.class, (item, token) -> tokens.add(token));
        DurableClient client = engine.client();
        var answered = client.start(Purchase.class, "p-1", w -> w.run("chair"));
        engine.settle();
        client.callback(tokens.getFirst()).extend(Duration.ofDays(5));
        engine.advance(Duration.ofDays(4));
        client.callback(tokens.getFirst()).complete(new Approval("ann", true));
        assertThat(answered.result()).isEqualTo("bought for ann");

        var unanswered = client.start(Purchase.class, "p-2", w -> w.run("desk"));
        engine.settle();
        engine.advance(Duration.ofDays(3));
        assertThat(unanswered.result()).isEqualTo("no answer in three days");
        assertThatThrownBy(() -> client.callback(tokens.get(1)).fail("no budget"))
                .isInstanceOf(CallbackEndedException.class)
                .hasMessageContaining("it was timed out before");
    }
}
