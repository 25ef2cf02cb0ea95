package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ParentClosePolicy;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.internal.engine.LogCapture;
import dev.durable.store.RunKey;
import dev.durable.store.contract.StepBuilder;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Starts and ends of children that the database refuses: by a trigger of the application, or as they can't be read. */
@Tag("slow")
class RefusedChildrenTest extends StoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new PostgresFixture();
    }

    private Parent parent(String workflowId) {
        return new Parent(store, claimed(workflowId), TYPE, QUEUE);
    }

    private static long outbox() {
        return Sql.number(PostgresFixture.pool(), "select count(*) from durable.outbox");
    }

    private WorkflowStatus status(RunKey run) {
        return store.run(run.runId()).orElseThrow().status();
    }

    /** Has the database refuse such writes meanwhile. */
    private static void refusing(String writes, String table, String condition, Runnable body) {
        Sql.execute(
                PostgresFixture.pool(),
                """
                create or replace function public.refuse() returns trigger language plpgsql as $$
                begin raise exception 'not this one' using errcode = 'P0001'; end $$;
                """ + "create trigger refuse before " + writes + " on durable." + table + " for each row when ("
                        + condition + ") execute function public.refuse()");
        try {
            body.run();
        } finally {
            Sql.execute(PostgresFixture.pool(), "drop trigger refuse on durable." + table);
        }
    }

    private static void refusingStarts(String workflowId, Runnable body) {
        refusing("insert", "workflow_run", "new.workflow_id = '" + workflowId + "'", body);
    }

    private static void refusingEnds(String workflowId, Runnable body) {
        refusing("update", "workflow_run", "new.workflow_id = '" + workflowId + "'", body);
    }

    private void assertNotStarted(Parent parent, RunKey child) {
        assertThat(waiting(parent.run()))
                .singleElement()
                .returns("ChildStartFailed", InboxMessage::name)
                .returns(child.runId(), InboxMessage::messageId)
                .satisfies(told -> assertThat(told.payload()).contains("not this one"));
        assertThat(outbox()).isZero();
        assertThat(Sql.column(PostgresFixture.pool(), "select 1 from durable.outbox_refused"))
                .isEmpty();
    }

    // ── starts ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_start_that_the_database_refuses_is_answered_to_the_parent() {
        Parent parent = parent("order");
        RunKey refused = parent.starts("poison");
        RunKey child = parent.starts("shipping");
        refusingStarts("poison", this::relayAll);

        assertThat(status(child)).isEqualTo(WorkflowStatus.RUNNING);
        assertNotStarted(parent, refused);
    }

    @Test
    void a_start_that_is_refused_alone_is_answered_after_some_passes() {
        Parent parent = parent("order");
        RunKey refused = parent.starts("poison");
        refusingStarts("poison", () -> {
            for (int pass = 0; pass < 10; pass++) {
                assertThat(store.relay(100).gone()).isZero();
            }
            assertThat(store.relay(100).gone()).isOne();
        });

        assertNotStarted(parent, refused);
    }

    @Test
    void a_start_of_which_the_database_refuses_the_answer_too_waits_and_is_made_when_that_is_mended() {
        Parent parent = parent("order");
        RunKey child = parent.starts("shipping");
        Sql.execute(PostgresFixture.pool(), """
                create or replace function public.refuse() returns trigger language plpgsql as $$
                begin raise exception 'maintenance' using errcode = 'P0001'; end $$;
                create trigger refuse_messages before insert on durable.inbox for each row execute function public.refuse()""");
        try {
            refusingStarts("shipping", () -> {
                for (int pass = 0; pass < 15; pass++) {
                    assertThat(store.relay(100).gone()).isZero();
                }
            });
        } finally {
            Sql.execute(PostgresFixture.pool(), "drop trigger refuse_messages on durable.inbox");
        }

        relayAll();
        assertThat(status(child)).isEqualTo(WorkflowStatus.RUNNING);
        assertThat(waiting(parent.run())).isEmpty();
    }

    @Test
    void a_start_that_can_not_be_read_is_set_aside_and_made_when_it_is_mended_and_sent_again() {
        Parent parent = parent("order");
        RunKey child = parent.starts("shipping");
        Sql.execute(
                PostgresFixture.pool(),
                "update durable.outbox set payload = replace(payload::text, 'workflowType', 'noType')::json");
        try (LogCapture log = LogCapture.named("dev.durable.store")) {
            relayAll();
            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    .contains("CHILD_START", "to workflow shipping is set aside", "resend_refused");
        }
        assertThat(store.run(child.runId())).isEmpty();
        assertThat(waiting(parent.run())).isEmpty();

        Sql.execute(PostgresFixture.pool(), """
                update durable.outbox_refused set payload = replace(payload::text, 'noType', 'workflowType')::json;
                select durable.resend_refused(run_id, event_id) from durable.outbox_refused""");
        relayAll();
        assertThat(status(child)).isEqualTo(WorkflowStatus.RUNNING);
    }

    // ── ends ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_child_whose_end_the_database_refuses_holds_up_no_other() {
        Parent parent = parent("order");
        StepBuilder step = parent.writer().step();
        List<RunKey> children = IntStream.range(0, 6)
                .mapToObj(i -> parent.starts(step, "t" + i, ParentClosePolicy.TERMINATE))
                .toList();
        parent.writer().write(step);
        relayAll();
        parent.writer().write(parent.writer().closing());

        assertKept(children, 2, "children of workflow order, which has ended");
    }

    @Test
    void a_child_whose_end_before_an_undo_the_database_refuses_holds_up_no_other() {
        Parent parent = parent("order");
        List<RunKey> children =
                IntStream.range(0, 3).mapToObj(i -> parent.starts("t" + i)).toList();
        relayAll();
        for (int i = 0; i < 3; i++) {
            parent.tells(i + 1, children.get(i), MessageKind.CHILD_TERMINATE, "ChildCancelRequested", "{}");
        }

        assertKept(children, 0, "children of workflow order, which is being undone");
    }

    /** Relays while the database refuses the end of this one of the children, and then without that. */
    private void assertKept(List<RunKey> children, int kept, String told) {
        refusingEnds("t" + kept, () -> {
            try (LogCapture log = LogCapture.named("dev.durable.store")) {
                relayAll();

                assertThat(children.stream().filter(child -> status(child) == WorkflowStatus.RUNNING))
                        .containsExactly(children.get(kept));
                assertThat(log.messages())
                        .filteredOn(line -> line.contains("can't be ended and stay open"))
                        .singleElement()
                        .asString()
                        .contains(told, "SQLSTATE P0001", "not this one");
            }
        });
        relayAll();
        assertThat(status(children.get(kept))).isEqualTo(WorkflowStatus.TERMINATED);
        assertThat(outbox()).isZero();
    }
}
