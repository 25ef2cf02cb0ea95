/**
 * The test kit: workflows run on virtual time in memory (or on a real PostgreSQL), every history that a test makes is
 * replayed from scratch and cut after every turn without being asked, and old histories are replayed from files.
 *
 * <pre>{@code
 * @DurableTest
 * class OrderWorkflowTest {
 *     @Test void timesOut(TestEngine engine) {
 *         engine.register(OrderWorkflow.class).activity(Payments.class, payments);
 *         var h = engine.client().start(OrderWorkflow.class, "o-1", w -> w.run(order));
 *         engine.advance(Duration.ofDays(3));
 *         assertThatThrownBy(h::result).hasRootCauseInstanceOf(ApprovalTimedOut.class);
 *     }
 * }
 * }</pre>
 *
 * <p>Time stands still while anything has work to do. It moves when the test says so ({@code advance}), and by itself to
 * the next thing that is due while a test waits for a result and nothing else can happen.
 */
@NullMarked
package dev.durable.testing;

import org.jspecify.annotations.NullMarked;
