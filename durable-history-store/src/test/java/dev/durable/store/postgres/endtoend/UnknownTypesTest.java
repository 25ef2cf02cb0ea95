package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowDescription;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Workers of several versions run at once: a worker that does not know a type leaves its runs and jobs to those that
 * do.
 */
@Timeout(300)
@Tag("slow")
class UnknownTypesTest {

    @Workflow
    static class Known {
        @Run
        String run(String name) {
            return "hello " + name;
        }
    }

    @Workflow
    static class Newer {
        @Run
        String run(String name) {
            return "welcome " + name;
        }
    }

    @Activity(startToClose = "10s")
    interface Mailer {
        String send(String to);
    }

    @Workflow
    static class Mailing {
        private final Mailer mailer;

        Mailing(Mailer mailer) {
            this.mailer = mailer;
        }

        @Run
        String run(String to) {
            return mailer.send(to);
        }
    }

    @Test
    void a_workflow_type_that_a_worker_does_not_know_is_left_for_one_that_does() {
        try (Bench bench = new Bench();
                DurableEngine old = bench.engine().register(Known.class).start();
                DurableEngine caller = bench.engine().clientOnly().start()) {
            var newer = caller.client().start("Newer", StartOptions.id("n-1"), "ann");

            // The worker polls for work again and again, and does the types that it knows.
            for (int i = 0; i < 5; i++) {
                String id = "k-" + i;
                assertThat(old.client().start(Known.class, id, w -> w.run(id)).result(Bench.SOON))
                        .isEqualTo("hello " + id);
            }
            WorkflowDescription waiting = newer.describe();
            assertThat(waiting.historyLength()).isOne();
            assertThat(waiting.ownerSession()).isNull();
            assertThat(waiting.stalledBy()).isNull();

            try (DurableEngine next = bench.engine().register(Newer.class).start()) {
                assertThat(next.client().handle(Newer.class, "n-1").resultAs(String.class))
                        .isEqualTo("welcome ann");
            }
        }
    }

    @Test
    void an_activity_that_a_worker_does_not_know_is_left_for_one_that_does() {
        try (Bench bench = new Bench();
                DurableEngine workflows =
                        bench.engine().register(Mailing.class, Known.class).start()) {
            var mailing = workflows.client().start(Mailing.class, "m-1", w -> w.run("ann"));
            assertThat(workflows
                            .client()
                            .start(Known.class, "k-1", w -> w.run("bob"))
                            .result(Bench.SOON))
                    .isEqualTo("hello bob");
            assertThat(mailing.describe().activities())
                    .singleElement()
                    .satisfies(job -> assertThat(job.state()).isEqualTo("ready"));

            try (DurableEngine mails =
                    bench.engine().activity(Mailer.class, to -> "sent to " + to).start()) {
                assertThat(mailing.result(Bench.SOON)).isEqualTo("sent to ann");
                assertThat(mails.healthy()).isTrue();
            }
        }
    }
}
