package dev.durable.samples.patterns.entity;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.client.UpdateHandle;
import dev.durable.client.WaitFor;
import dev.durable.client.WorkflowHandle;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

@DurableTest
class PointsWorkflowTest {
    private WorkflowHandle<PointsWorkflow, ?> open(TestEngine engine) {
        engine.register(PointsWorkflow.class);
        assertThat(PointsDemo.add(engine.client(), "ann", 100)).isEqualTo(100);
        return engine.client().handle(PointsWorkflow.class, "points-of-ann");
    }

    @Test
    void anAccountKeepsItsPointsForTenYearsInTenHistories(TestEngine engine) throws NotEnoughPoints {
        var account = open(engine);
        for (int year = 1; year <= 10; year++) {
            engine.advance(Duration.ofDays(365));
            assertThat(PointsDemo.add(engine.client(), "ann", 5)).isEqualTo(100 + 5 * year);
        }

        int left = account.update(w -> w.redeem(30));

        assertThat(left).isEqualTo(120);
        account.signal(w -> w.close());
        assertThat(account.resultAs(Integer.class)).isEqualTo(120);
        assertThat(engine.client().workflows().count()).isEqualTo(11);
        assertThat(account.history().size()).isLessThan(20);
    }

    @Test
    void twoCannotRedeemTheSamePoints(TestEngine engine) {
        var account = open(engine);
        List<UpdateHandle<Integer>> redeemed = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            redeemed.add(start(account, 70));
        }

        assertThat(redeemed.getFirst().result()).isEqualTo(30);
        assertThatThrownBy(redeemed.getLast()::result).isInstanceOf(NotEnoughPoints.class);
    }

    @Test
    void whatIsSentWhileTheHistoryIsChangedIsNotLost(TestEngine engine) {
        var account = open(engine);
        engine.advance(Duration.ofDays(365).minusMillis(1));
        account.pause(); // as if no worker were there
        var late = start(account, 60);
        engine.advance(Duration.ofDays(10));
        account.resume();

        assertThat(late.result()).isEqualTo(40);
        int points = account.query(w -> w.points());
        assertThat(points).isEqualTo(40);
    }

    private static UpdateHandle<Integer> start(WorkflowHandle<PointsWorkflow, ?> account, int points) {
        try {
            return account.startUpdate(w -> w.redeem(points), WaitFor.SENT);
        } catch (NotEnoughPoints e) {
            throw new AssertionError("it is only sent", e);
        }
    }
}
