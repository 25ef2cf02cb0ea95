package dev.durable.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.WorkflowDescription.PendingActivity;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunDetails;
import dev.durable.store.RunFilter;
import dev.durable.store.RunRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import tools.jackson.databind.json.JsonMapper;

/** What must hold of a store at any time when nobody is writing, seen through the SPI (invariants 1 to 4 of the design). */
public final class StoreInvariants {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Set<String> CLOSING = Set.of(
            "WorkflowCompleted",
            "WorkflowFailed",
            "WorkflowCancelled",
            "WorkflowTimedOut",
            "WorkflowTerminated",
            "WorkflowContinuedAsNew");
    private static final Set<String> ACTIVITY_ENDS =
            Set.of("ActivityCompleted", "ActivityFailed", "ActivityTimedOut", "ActivityCancelled");
    private static final int PAGE = 500;

    private final HistoryStore store;
    private final Set<String> openIds = new HashSet<>();

    private StoreInvariants(HistoryStore store) {
        this.store = store;
    }

    /** Checks every run there is. */
    public static void check(HistoryStore store) {
        StoreInvariants invariants = new StoreInvariants(store);
        UUID last = null;
        List<RunRecord> page;
        do {
            RunFilter all = RunFilter.ALL;
            page = store.runs(
                    new RunFilter(
                            all.types(),
                            null,
                            all.statuses(),
                            null,
                            null,
                            null,
                            null,
                            null,
                            null,
                            null,
                            false,
                            true,
                            last,
                            null,
                            null,
                            null,
                            null),
                    PAGE);
            page.forEach(invariants::checkRun);
            last = page.isEmpty() ? null : page.getLast().run().runId();
        } while (page.size() == PAGE);
    }

    private void checkRun(RunRecord run) {
        List<StoredEvent> history = store.history(run.run().runId(), 1, Integer.MAX_VALUE);
        historyIsWhole(run, history);
        if (run.status().closed()) {
            nothingIsLeft(run);
        } else {
            assertThat(openIds.add(run.run().workflowId()))
                    .as("one open run of %s", run.run().workflowId())
                    .isTrue();
            activitiesAreConserved(run, history);
        }
    }

    private static void historyIsWhole(RunRecord run, List<StoredEvent> history) {
        assertThat(history.stream().map(StoredEvent::id))
                .as("event ids of %s", run.run())
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, history.size()).boxed().toList());
        assertThat(history.getFirst().type()).as("first event of %s", run.run()).isEqualTo("WorkflowStarted");
        List<String> closing = history.stream()
                .map(StoredEvent::type)
                .filter(CLOSING::contains)
                .toList();
        assertThat(closing)
                .as("closing events of %s", run.run())
                .hasSize(run.status().closed() ? 1 : 0);
        if (run.status().closed()) {
            assertThat(history.getLast().type())
                    .as("last event of %s", run.run())
                    .isEqualTo(closing.getFirst());
        }
        assertThat(history.stream().map(StoredEvent::messageId).filter(id -> id != null))
                .as("message ids in the history of %s", run.run())
                .doesNotHaveDuplicates();
    }

    private void nothingIsLeft(RunRecord run) {
        RunDetails details = store.details(run.run().runId()).orElseThrow();
        assertThat(details.jobs()).as("jobs of closed %s", run.run()).isEmpty();
        assertThat(details.messages()).as("messages of closed %s", run.run()).isZero();
        assertThat(store.messages(List.of(run.run()), 1))
                .as("inbox of closed %s", run.run())
                .isEmpty();
    }

    /** Each activity that is scheduled and has not ended is either a job or an outcome that waits. */
    private void activitiesAreConserved(RunRecord run, List<StoredEvent> history) {
        Set<Integer> open = new HashSet<>();
        for (StoredEvent event : history) {
            if (event.type().equals("ActivityScheduled")) {
                assertThat(open.add(seq(event.attributes())))
                        .as("%s of %s is new", event, run.run())
                        .isTrue();
            } else if (ACTIVITY_ENDS.contains(event.type())) {
                assertThat(open.remove(seq(event.attributes())))
                        .as("%s of %s ends what was open", event, run.run())
                        .isTrue();
            }
        }
        List<Integer> found = new ArrayList<>();
        store.details(run.run().runId()).orElseThrow().jobs().stream()
                .map(PendingActivity::seq)
                .forEach(found::add);
        store
                .messages(List.of(run.run()), Integer.MAX_VALUE)
                .getOrDefault(run.run().runId(), List.of())
                .stream()
                .filter(message -> message.kind() == MessageKind.ACTIVITY_OUTCOME)
                .map(InboxMessage::payload)
                .map(StoreInvariants::seq)
                .forEach(found::add);
        assertThat(found).as("open activities of %s", run.run()).containsExactlyInAnyOrderElementsOf(open);
    }

    private static int seq(String attributes) {
        return JSON.readTree(attributes).get("seq").intValue();
    }
}
