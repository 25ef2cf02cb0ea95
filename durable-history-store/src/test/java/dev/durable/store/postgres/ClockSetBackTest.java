package dev.durable.store.postgres;

import static dev.durable.store.Transition.Outcome.APPLIED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ChildOptions;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.store.NewRun;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import dev.durable.store.contract.Seizures;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import dev.durable.store.contract.Writer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Chains and children of a database whose clock is set back between two of their steps. */
class ClockSetBackTest extends StoreContract {
    private static final Duration BACK = Duration.ofHours(-1);

    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    private NewRun continued(Writer writer) {
        NewRun next = newRun(writer.run().workflowId()).build();
        assertThat(writer.write(writer.step().continuesAs(next))).isEqualTo(APPLIED);
        return next;
    }

    @Test
    void the_last_link_of_a_chain_is_its_latest_run_and_started_last() {
        Writer first = claimed("order-1");
        advance(BACK);
        Writer second = claimed(continued(first).run());
        advance(BACK);
        NewRun third = continued(second);

        RunRecord latest = store.latestRun("order-1").orElseThrow();
        assertThat(latest.run()).isEqualTo(third.run());
        assertThat(latest.startedAt())
                .isAfter(store.run(second.run().runId()).orElseThrow().startedAt());
        assertThat(store.run(second.run().runId()).orElseThrow().startedAt())
                .isAfter(store.run(first.run().runId()).orElseThrow().startedAt());
        store.seize(Seizures.terminate(third.run()));
        assertThat(store.latestRun("order-1").orElseThrow().run()).isEqualTo(third.run());
    }

    @Test
    void a_child_starts_gets_its_messages_and_tells_its_end() {
        RunKey child = new RunKey(RunIds.create(store.now(), "child", 7), "child");
        Writer parent = claimed("parent");
        assertThat(parent.write(parent.step().startsChild(1, child, ChildOptions.defaults()))
                        .isApplied())
                .isTrue();
        advance(BACK);
        store.relay(100);
        assertThat(parent.write(parent.step().sendsToChild(2, 1, child, "a")).isApplied())
                .isTrue();
        store.relay(100);
        advance(BACK);
        assertThat(parent.write(parent.step().sendsToChild(3, 1, child, "b")).isApplied())
                .isTrue();
        store.relay(100);
        assertThat(waitingNames(child)).containsExactlyInAnyOrder("a", "b");

        store.seize(Seizures.terminate(child));
        advance(BACK);
        store.relay(100);
        assertThat(store.latestRun("child").orElseThrow().status()).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(waiting(parent.run())).extracting(InboxMessage::name).containsExactly("ChildFailed");
    }
}
