package dev.durable.samples.snippets;

import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityInfo;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** The calls that the body of an activity can make. */
@DurableTest
class ActivityBodiesTest {

    @Activity(startToClose = "1h", heartbeatTimeout = "30s")
    interface Addresses {
        int check(List<String> addresses);
    }

    @Activity(startToClose = "3d") // how long a person may take
    interface Approvals {
        String approve(String order);
    }

    // docs: activity-body
    static class AddressService implements Addresses {
        @Override
        public int check(List<String> addresses) {
            ActivityContext activity = ActivityContext.current();
            ActivityInfo info = activity.info(); // attempt, deadline, idempotencyKey(), isLastAttempt(), …
            int from = activity.heartbeatDetails(Integer.class).orElse(0); // where the attempt before this one was
            for (int i = from; i < addresses.size(); i++) {
                look(addresses.get(i), info.idempotencyKey());
                activity.heartbeat(i + 1); // cheap; throws CancelledException when the workflow cancelled the call
            }
            return addresses.size();
        }
        // docs: end

        private final Map<String, String> seen = new ConcurrentHashMap<>();

        private void look(String address, String key) {
            seen.put(address, key);
        }
        // docs: activity-body
    }
    // docs: end

    // docs: complete-later
    static class ApprovalDesk implements Approvals {
        private final Map<String, String> tokens = new ConcurrentHashMap<>(); // in life: a column beside the order

        @Override
        public String approve(String order) {
            tokens.put(order, ActivityContext.current().completeLater()); // from now on the token's holder ends it
            return "what is returned here does not count";
        }
    }
    // docs: end

    @Workflow
    static class Both {
        private final Addresses addresses;
        private final Approvals approvals;

        Both(Addresses addresses, Approvals approvals) {
            this.addresses = addresses;
            this.approvals = approvals;
        }

        @Run
        String run() {
            return addresses.check(List.of("Rome", "Oslo")) + " by " + approvals.approve("7");
        }
    }

    @Test
    void whatABodyLeavesToOthersIsEndedByThem(TestEngine engine) {
        ApprovalDesk desk = new ApprovalDesk();
        engine.register(Both.class)
                .activity(Addresses.class, new AddressService())
                .activity(Approvals.class, desk);
        var run = engine.client().start(Both.class, "both-1", w -> w.run());
        engine.settle();
        var client = engine.client();
        String token = desk.tokens.get("7");
        // docs: complete-later-client
        client.activity(token).complete("ann"); // or fail(exception), heartbeat(details), updateTimeout(duration)
        // docs: end
        assertThat(run.result()).isEqualTo("2 by ann");
    }
}
