package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.store.ClaimedJob;
import dev.durable.store.Delivery;
import dev.durable.store.JobContent;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewJob;
import dev.durable.store.RunClaim;
import dev.durable.store.RunFilter;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is text in the store comes back as it was given, character by character. */
abstract class TextContract extends StoreContract {

    /** JSON that a store which parses and prints it again would change or refuse. */
    static List<String> json() {
        return List.of(
                "{\"zeta\":1,\"aa\":3,\"m\":{\"b\":2,\"a\":1}}",
                "{\"a\":1,\"a\":2}",
                "[1E2, 1e2, 1.10, 100, -0, -0.0, 1.0000000000000000000000000001]",
                "[9223372036854775807, 123456789012345678901234567890]",
                "{ \"spaces\" :\t[ 1 ,\n2 ] }",
                "\"nul \\u0000 and lone \\ud800 and \\udc00 surrogates\"",
                "\"\\u00e4 \\/ \\\" \\\\ \\b\"",
                "\"ä € 😀 \u2028 \uFFFF\"",
                "null",
                "\"\"");
    }

    @ParameterizedTest
    @MethodSource("json")
    void attributes_of_events_survive(String json) {
        NewRunBuilder run = newRun("order-1").started(json);
        started(run);
        Writer writer = claimed(run.key());
        writer.write(writer.step().event("SideEffectRecorded", json));

        assertThat(history(run.key())).allMatch(event -> event.attributes().equals(json));
    }

    @ParameterizedTest
    @MethodSource("json")
    void payloads_of_messages_survive(String json) {
        RunKey run = started("order-1");
        InboxMessage sent = signal("approve", json);
        deliver(run, sent);

        assertThat(waiting(run)).extracting(InboxMessage::payload).containsExactly(json);
    }

    @ParameterizedTest
    @MethodSource("json")
    void everything_of_a_job_survives(String json) {
        Writer writer = claimed("order-1");
        NewJob plain = Outcomes.job(1, store.now());
        writer.write(writer.step()
                .schedules(new NewJob(
                        1,
                        plain.route(),
                        0,
                        new JobContent(json, json, json),
                        plain.deadlines().with(null, null),
                        3,
                        null,
                        null,
                        Duration.ZERO)));
        ClaimedJob first = claimJob(session);
        update(new JobUpdate.Heartbeat(first.key(), first.lease(), json));
        update(new JobUpdate.Retry(
                first.key(), first.lease(), Duration.ZERO, 2, json, "plain text: 'ä' \\ \"", null, null));

        ClaimedJob second = claimJob(session);
        assertThat(List.of(
                        second.content().input(),
                        second.content().options(),
                        second.content().headers(),
                        second.notes(),
                        second.heartbeatDetails()))
                .containsOnly(json);
        assertThat(details(writer.run()).jobs().getFirst().lastFailure()).isEqualTo("plain text: 'ä' \\ \"");
    }

    @ParameterizedTest
    @MethodSource("json")
    void outcomes_of_activities_survive(String json) {
        Writer writer = claimed("order-1");
        writer.write(writer.step().schedules(1));
        ClaimedJob job = claimJob(session);
        String attributes = "{\"seq\":1,\"result\":" + json + "}";
        update(new JobUpdate.Settle(
                job.key(),
                job.lease(),
                new InboxMessage(
                        job.lease(), MessageKind.ACTIVITY_OUTCOME, "ActivityCompleted", attributes, json, null)));

        InboxMessage waiting = waiting(writer.run()).getFirst();
        assertThat(waiting.payload()).isEqualTo(attributes);
        assertThat(waiting.notes()).isEqualTo(json);
    }

    @ParameterizedTest
    @MethodSource("json")
    void results_and_failures_survive(String json) {
        Writer writer = claimed("order-1");
        Transition close = writer.closing().build();
        store.commit(List.of(new Transition(
                close.run(),
                close.fences(),
                close.nextEventId(),
                close.events(),
                List.of(),
                Transition.JobChanges.NONE,
                true,
                null,
                null,
                new Transition.Close(WorkflowStatus.COMPLETED, json, json, false))));

        assertThat(store.run(writer.run().runId()).orElseThrow().result()).isEqualTo(json);
        assertThat(store.closed(List.of(writer.run().runId())).getFirst().failure())
                .isEqualTo(json);
    }

    @ParameterizedTest
    @MethodSource("workflowIds")
    void workflow_ids_survive_and_are_told_apart(String workflowId) {
        NewRunBuilder run = newRun(workflowId);
        started(run);

        assertThat(start(newRun(workflowId)))
                .isEqualTo(new StartOutcome.AlreadyOpen(run.key().runId(), TYPE, null));
        assertThat(deliver(workflowId, signal("approve"))).isEqualTo(Delivery.Outcome.ACCEPTED);
        assertThat(deliver(workflowId + "x", signal("approve"))).isEqualTo(Delivery.Outcome.NOT_FOUND);
        assertThat(claimRuns(session))
                .singleElement()
                .matches(claim -> claim.run().equals(run.key()));
        assertThat(store.latestRun(workflowId).orElseThrow().run()).isEqualTo(run.key());
        assertThat(store.runs(RunFilter.ALL, 10))
                .extracting(r -> r.run().workflowId())
                .containsExactly(workflowId);
    }

    static List<String> workflowIds() {
        return List.of(
                "order-😀-ä-€",
                "x".repeat(512),
                "😀".repeat(256),
                " order 1 ",
                "order'1\"; drop table run_state; --",
                "order\\1\n\t",
                "ORDER-%_");
    }

    @Test
    void workflow_ids_differ_by_case_accent_and_space() {
        List<String> ids = List.of("order", "Order", "órder", "o\u0301rder", "order ", " order");
        ids.forEach(id -> started(id));

        assertThat(claimedIds(session)).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void names_of_types_queues_and_activities_survive() {
        String odd = "Bestellung €/😀";
        started(newRun("order-1").type(odd).taskQueue(odd));

        assertThat(store.claimRuns(new RunClaim(session, Set.of(odd), Set.of(odd), 10, OWNED))
                        .runs())
                .singleElement()
                .matches(claim -> claim.type().equals(odd) && claim.taskQueue().equals(odd));
    }

    @Test
    void a_large_payload_survives() {
        String large = "\"" + "0123456789ä😀".repeat(100_000) + "\"";
        NewRunBuilder run = newRun("order-1").started(large);
        started(run);

        assertThat(history(run.key()).getFirst().attributes()).isEqualTo(large);
    }

    @Test
    void why_a_run_stalled_survives() {
        Writer writer = claimed("order-1");
        String reason = "event 3 is ActivityScheduled{\"a\"}\n  but the code gave 'ä' 😀 at OrderWorkflow.java:42";
        writer.write(writer.step().stalls(reason, Duration.ofMinutes(1)));

        assertThat(details(writer.run()).stalledBy()).isEqualTo(reason);
    }
}
