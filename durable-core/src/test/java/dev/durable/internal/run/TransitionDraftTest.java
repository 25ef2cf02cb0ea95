package dev.durable.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class TransitionDraftTest {
    private final RunKey run = new RunKey(RunIds.create(Instant.now(), "order-1", 7), "order-1");
    private final TransitionDraft draft = new TransitionDraft(
            new JobBirth(run, "OrderWorkflow", JobHeaders.of(Map.of(), headers -> "{}"), EagerJobs.NONE, null),
            new OutgoingMessages(
                    run,
                    run.runId(),
                    () -> {
                        throw new AssertionError("no child is started here");
                    },
                    null),
            1,
            0);
    private final List<String> done = new ArrayList<>();

    @Test
    void an_activity_that_can_not_be_begun_keeps_no_other_from_it() {
        UUID lease = UUID.randomUUID();
        draft.onceWritten(() -> done.add("first"));
        draft.onceWritten(() -> {
            throw new IllegalStateException("no slot is reserved under " + lease);
        });
        draft.onceWritten(() -> done.add("third"));

        draft.begin(UnaryOperator.identity());

        assertThat(done).containsExactly("first", "third");
    }
}
