package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ChildHandle;
import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.ParentClosePolicy;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.Workflow;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What hung in the test environments of other engines, by their public reports: children, continue-as-new and updates on
 * virtual time. Each test names its report.
 */
abstract class ReportedHangsTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);

    @Activity
    interface Oven {
        String bake(String cake);
    }

    /** Bakes, sleeps or listens, as its argument says. */
    @Workflow
    interface Bakery {
        @Run
        String run(String cake);

        @Signal
        void take(String by);
    }

    static class RealBakery implements Bakery {
        private final Oven oven;
        private final List<String> taken = new ArrayList<>();

        RealBakery(Oven oven) {
            this.oven = oven;
        }

        @Override
        public String run(String cake) {
            switch (cake) {
                case "sleeps" -> Durable.sleep(DAY);
                case "listens" -> Durable.await(() -> !taken.isEmpty());
                case "sleeps and listens" -> {
                    Durable.sleep(HOUR);
                    Durable.await(() -> !taken.isEmpty());
                    Durable.sleep(HOUR);
                }
                default -> {
                    Durable.sleep(HOUR);
                    return oven.bake(cake);
                }
            }
            return cake + taken;
        }

        @Override
        public void take(String by) {
            taken.add(by);
        }
    }

    /** Has a bakery as its child, in the way that its argument says. */
    @Workflow
    static class Cafe {
        private boolean closed;

        @Run
        String run(String how, int links) {
            return switch (how) {
                case "continues" -> {
                    if (links == 3) {
                        Durable.startChild(Bakery.class, ChildOptions.id("bakery"), w -> w.run("sleeps"));
                    }
                    if (links > 0) {
                        throw Durable.continueAsNew(Cafe.class, w -> w.run(how, links - 1));
                    }
                    yield Durable.child(Bakery.class, "bakery").resultAs(String.class);
                }
                case "abandons" -> {
                    ChildOptions options = ChildOptions.id("bakery").parentClosePolicy(ParentClosePolicy.ABANDON);
                    Durable.startChild(Bakery.class, options, w -> w.run("cake"));
                    yield "open";
                }
                case "takes" -> {
                    ChildHandle<Bakery, String> bakery = Durable.startChild(
                            Bakery.class, ChildOptions.id("bakery"), w -> w.run("sleeps and listens"));
                    Durable.sleep(HOUR.multipliedBy(2));
                    bakery.signal(w -> w.take("cafe"));
                    yield bakery.result();
                }
                case "waits for a child that waits" -> {
                    yield Durable.startChild(Bakery.class, ChildOptions.id("bakery"), w -> w.run("listens"))
                            .result();
                }
                case "is told to go on" -> {
                    Durable.await(() -> closed);
                    throw Durable.continueAsNew(Cafe.class, w -> w.run("ends", 0));
                }
                default -> {
                    Durable.await(() -> closed || how.equals("ends"));
                    yield "closed";
                }
            };
        }

        @Update
        String order(String cake) {
            return Durable.startChild(Bakery.class, w -> w.run(cake)).result();
        }

        @Update
        String close() {
            closed = true;
            return "good night";
        }
    }

    private static WorkflowHandle<Cafe, String> cafe(TestEngine engine, String how) {
        engine.register(Cafe.class, RealBakery.class).activity(Oven.class, cake -> "baked " + cake);
        return started(engine, how);
    }

    private static WorkflowHandle<Cafe, String> started(TestEngine engine, String how) {
        return engine.client().start(Cafe.class, "cafe", w -> w.run(how, 3));
    }

    private static WorkflowStatus status(TestEngine engine, String id) {
        return engine.client().handle(id).describe().summary().status();
    }

    /** temporalio/sdk-java#1540: in a child, time was not skipped once its parent had continued as new. */
    @Test
    void a_child_sleeps_in_no_time_under_a_parent_that_continues_as_new(TestEngine engine) {
        Instant before = engine.now();

        assertThat(cafe(engine, "continues").result()).isEqualTo("sleeps[]");
        assertThat(Duration.between(before, engine.now())).isBetween(DAY, DAY.plus(HOUR));
    }

    /** temporalio/sdk-java#2392: a sleep of the test hung behind the result of a parent whose child was abandoned. */
    @Test
    void time_goes_on_behind_the_result_of_a_parent_whose_child_is_abandoned(TestEngine engine) {
        assertThat(cafe(engine, "abandons").result()).isEqualTo("open");

        engine.advance(Duration.ofMinutes(30));
        assertThat(status(engine, "bakery")).isEqualTo(WorkflowStatus.RUNNING);
        engine.advance(HOUR);
        assertThat(status(engine, "bakery")).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(engine.client().handle("bakery").resultAs(String.class)).isEqualTo("baked cake");
    }

    /** temporalio/sdk-java#1618: with a child that is signalled, a sleep of the test ran into its timeout. */
    @Test
    void a_day_passes_over_a_parent_that_signals_its_child_and_waits_for_it(TestEngine engine) {
        WorkflowHandle<Cafe, String> cafe = cafe(engine, "takes");

        engine.advance(DAY);

        assertThat(status(engine, "cafe")).isEqualTo(WorkflowStatus.COMPLETED);
        assertThat(cafe.result()).isEqualTo("sleeps and listens[cafe]");
    }

    /** temporalio/sdk-python#661: an update whose handler starts a mocked child got stuck. */
    @Test
    void an_update_whose_handler_waits_for_a_mocked_child_is_answered_while_time_skips(TestEngine engine) {
        engine.register(Cafe.class).child(Bakery.class, new Bakery() {
            @Override
            public String run(String cake) {
                Durable.sleep(DAY);
                return "a mocked " + cake;
            }

            @Override
            public void take(String by) {}
        });
        WorkflowHandle<Cafe, String> cafe = started(engine, "serves");
        Instant before = engine.now();

        String cake = cafe.update(w -> w.order("cake"));
        assertThat(cake).isEqualTo("a mocked cake");
        assertThat(Duration.between(before, engine.now())).isBetween(DAY, DAY.plus(HOUR));
        String goodbye = cafe.update(Cafe::close);
        assertThat(goodbye).isEqualTo("good night");
        assertThat(cafe.result()).isEqualTo("closed");
    }

    /** temporalio/temporal#6375: an answer was lost that an update gave in the turn in which its run continued as new. */
    @Test
    void an_update_that_lets_its_run_continue_in_the_turn_of_its_answer_is_answered(TestEngine engine) {
        WorkflowHandle<Cafe, String> cafe = cafe(engine, "is told to go on");

        String goodbye = cafe.update(Cafe::close);
        assertThat(goodbye).isEqualTo("good night");
        assertThat(cafe.result()).isEqualTo("closed");
    }

    @Test
    void a_mock_takes_the_place_of_the_class_that_is_registered(TestEngine engine) {
        engine.register(Cafe.class, RealBakery.class)
                .activity(Oven.class, cake -> "baked " + cake)
                .child(Cafe.class, new Cafe() {
                    @Override
                    String run(String how, int links) {
                        return how + " in a mock";
                    }
                });

        assertThat(started(engine, "serves").result()).isEqualTo("serves in a mock");
        assertThat(engine.client()
                        .start(Bakery.class, "bakery", w -> w.run("bread"))
                        .result())
                .isEqualTo("baked bread");
    }

    @Test
    void a_parent_and_a_child_that_wait_for_each_other_are_named_with_what_they_wait_for() {
        try (TestEngine engine = TestEngine.create(store(), Duration.ofSeconds(1))) {
            WorkflowHandle<Cafe, String> cafe = cafe(engine, "waits for a child that waits");

            assertThatThrownBy(cafe::result)
                    .hasMessageContaining("the test waits for something that will never come")
                    .hasMessageContaining("Open here:\n  ")
                    .hasMessageContaining("\n  workflow cafe waits for child 1 Bakery bakery at "
                            + "ReportedHangsTest.Cafe.run(ReportedHangsTest.java:")
                    .hasMessageContaining("\n  workflow bakery, child of cafe, waits for a condition at "
                            + "ReportedHangsTest.RealBakery.run(ReportedHangsTest.java:");
            cafe.terminate("seen");
            engine.settle();
        }
    }

    abstract Store store();
}
