package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.OnExhausted;
import dev.durable.QueueFullException;
import dev.durable.Retry;
import dev.durable.TypeRef;
import dev.durable.WaitTimedOutException;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.BatchHandle;
import dev.durable.client.BatchProgress;
import dev.durable.client.BatchResult;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Background jobs that are enqueued together, from the call to the histories; run on each kind of store. */
abstract class BatchesTest {

    @Activity(retry = @Retry(maxAttempts = 2, initialInterval = "1m", jitter = 0, onExhausted = OnExhausted.FAIL))
    interface Letters {
        String send(String to);

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.DEAD_LETTER))
        String parcel(String to);

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.INCIDENT))
        String telegram(String to);

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.DISCARD))
        String leaflet(String to);

        List<String> stamps(String to);
    }

    @Activity
    interface Reports {
        void sent(String batch);
    }

    private final List<String> sent = Collections.synchronizedList(new ArrayList<>());
    private final Set<String> unknown = ConcurrentHashMap.newKeySet();

    private DurableClient set(TestEngine engine) {
        engine.queue("default", queue -> queue.slots(1));
        engine.activity(Letters.class, new Letters() {
            private String answer(String to) {
                if (unknown.contains(to)) {
                    throw new IllegalStateException(to + " is unknown");
                }
                sent.add(to);
                return "to " + to;
            }

            @Override
            public String send(String to) {
                return answer(to);
            }

            @Override
            public String parcel(String to) {
                return answer(to);
            }

            @Override
            public String telegram(String to) {
                return answer(to);
            }

            @Override
            public String leaflet(String to) {
                return answer(to);
            }

            @Override
            public List<String> stamps(String to) {
                return List.of(answer(to));
            }
        });
        engine.activity(Reports.class, batch -> sent.add("report of " + batch));
        return engine.client();
    }

    private static List<String> names(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "to-" + i).toList();
    }

    private static StartOptions id(String batch) {
        return StartOptions.id(batch);
    }

    @Test
    void the_jobs_of_a_batch_begin_in_the_order_of_its_items(TestEngine engine) {
        DurableClient client = set(engine);
        client.enqueueAll(Letters.class, names(0, 300), Letters::send).await();
        assertThat(sent).containsExactlyElementsOf(names(0, 300));
        sent.clear();
        client.enqueueAll(Letters.class, id("late").startDelay(Duration.ofHours(1)), names(0, 300), Letters::send);
        engine.advance(Duration.ofHours(2));
        assertThat(sent).containsExactlyElementsOf(names(0, 300));
    }

    @Test
    void a_batch_has_the_jobs_that_were_enqueued_with_it_whatever_the_ids_of_others(TestEngine engine) {
        DurableClient client = set(engine);
        BatchHandle batch = client.enqueueAll(Letters.class, id("b"), names(0, 2), Letters::send);
        client.enqueueAll(Letters.class, id("b/sub"), names(2, 5), Letters::send);
        client.enqueue(Letters.class, id("b/note"), l -> l.send("note"));
        client.enqueue(Letters.class, id("b/7"), l -> l.send("seven"));
        engine.settle();
        assertThat(batch.progress()).isEqualTo(new BatchProgress(2, 2, 0, 0));
        assertThat(client.batch("b/sub").progress()).isEqualTo(new BatchProgress(3, 3, 0, 0));
        assertThat(batch.jobs().count()).isEqualTo(2);
        assertThat(sent).hasSize(7);
    }

    @Test
    void an_item_whose_id_is_anothers_is_refused_and_the_other_items_are_enqueued(TestEngine engine) {
        DurableClient client = set(engine);
        client.enqueue(Letters.class, id("b/1").startDelay(Duration.ofHours(1)), l -> l.send("open"));
        client.enqueue(Letters.class, id("b/2"), l -> l.send("ended")).await();
        assertThatThrownBy(() -> client.enqueueAll(Letters.class, id("b"), names(0, 4), Letters::send))
                .isInstanceOf(WorkflowAlreadyStartedException.class)
                .hasMessageContaining("item 1 of batch b was not enqueued: its id, b/1, belongs to run ")
                .hasMessageContaining("which is no job of this batch")
                .hasMessageContaining("Give the batch an id that nothing else begins with.");
        engine.settle();
        assertThat(client.batch("b").progress()).isEqualTo(new BatchProgress(2, 2, 0, 0));
        assertThat(sent).containsExactlyInAnyOrder("ended", "to-0", "to-3");
    }

    @Test
    void a_batch_that_is_enqueued_again_keeps_its_jobs_and_its_order(TestEngine engine) {
        DurableClient client = set(engine);
        unknown.add("to-1");
        client.enqueueAll(Letters.class, id("b"), names(0, 3), Letters::send).await();
        unknown.clear();
        BatchHandle again = client.enqueueAll(Letters.class, id("b"), names(0, 1_030), Letters::send);
        BatchProgress all = again.await();
        assertThat(all.total()).isEqualTo(1_030);
        assertThat(all.failed()).as("a job that is there stays the one").isEqualTo(1);
        assertThat(sent.subList(2, sent.size())).containsExactlyElementsOf(names(3, 1_030));
    }

    @Test
    void results_come_in_the_order_of_the_items(TestEngine engine) {
        DurableClient client = set(engine);
        unknown.add("to-1");
        BatchHandle batch = client.enqueueAll(Letters.class, id("b"), names(0, 1_030), Letters::send);
        assertThat(batch.await()).isEqualTo(new BatchProgress(1_030, 1_029, 1, 0));
        List<BatchResult<String>> results;
        try (Stream<BatchResult<String>> all = batch.results(String.class)) {
            results = all.toList();
        }
        assertThat(results).hasSize(1_030);
        for (int i = 0; i < results.size(); i++) {
            assertThat(results.get(i).number()).isEqualTo(i);
            assertThat(results.get(i).jobId()).isEqualTo("b/" + i);
            assertThat(results.get(i).completed()).isEqualTo(i != 1);
            assertThat(results.get(i).value()).isEqualTo(i == 1 ? null : "to to-" + i);
        }
        assertThat(results.get(1).status()).isEqualTo(WorkflowStatus.FAILED);
        assertThat(results.get(1).failure()).contains("to-1 is unknown");
    }

    @Test
    void results_of_a_generic_type_and_of_open_jobs(TestEngine engine) {
        DurableClient client = set(engine);
        BatchHandle batch = client.enqueueAll(
                Letters.class, id("b").startDelay(Duration.ofHours(1)), List.of("ann"), Letters::stamps);
        TypeRef<List<String>> stamps = new TypeRef<>() {};
        assertThat(batch.results(stamps).toList())
                .containsExactly(new BatchResult<>(0, "b/0", WorkflowStatus.RUNNING, false, null, null));
        batch.await();
        assertThat(batch.results(stamps).toList())
                .containsExactly(new BatchResult<>(0, "b/0", WorkflowStatus.COMPLETED, false, List.of("to ann"), null));
    }

    @Test
    void a_wait_ends_when_only_dead_letters_and_incidents_are_left_and_says_how_many(TestEngine engine) {
        DurableClient client = set(engine);
        unknown.addAll(List.of("to-1", "to-2"));
        BatchHandle parcels = client.enqueueAll(Letters.class, id("parcels"), names(0, 4), Letters::parcel);
        assertThat(parcels.await()).isEqualTo(new BatchProgress(4, 2, 0, 2, 0, 2, 0));
        assertThat(parcels.progress().isAtRest()).isTrue();
        BatchHandle telegrams = client.enqueueAll(Letters.class, id("telegrams"), names(0, 4), Letters::telegram);
        assertThat(telegrams.await(Duration.ofMinutes(1))).isEqualTo(new BatchProgress(4, 2, 0, 2, 0, 0, 2));
        unknown.clear();
        client.incidents().where(i -> i.activity("Letters.telegram")).by("ann").retry();
        assertThat(telegrams.await()).isEqualTo(new BatchProgress(4, 4, 0, 0));
    }

    @Test
    void a_wait_that_is_too_short_says_how_far_the_batch_is(TestEngine engine) {
        DurableClient client = set(engine);
        BatchHandle batch =
                client.enqueueAll(Letters.class, id("b").startDelay(Duration.ofHours(1)), names(0, 2), Letters::send);
        assertThatThrownBy(() -> batch.await(Duration.ofMinutes(1)))
                .isInstanceOf(WaitTimedOutException.class)
                .hasMessageContaining("the end of batch b")
                .hasMessageContaining("open=2");
        assertThat(batch.await().completed()).isEqualTo(2);
    }

    @Test
    void what_was_discarded_is_no_success(TestEngine engine) {
        DurableClient client = set(engine);
        unknown.addAll(List.of("to-1", "to-2"));
        BatchHandle leaflets = client.enqueueAll(Letters.class, id("leaflets"), names(0, 4), Letters::leaflet);
        BatchProgress done = leaflets.await();
        assertThat(done).isEqualTo(new BatchProgress(4, 2, 2, 0, 2, 0, 0));
        assertThat(done.successRate()).isEqualTo(0.5);
        BatchResult<String> first = leaflets.results(String.class).toList().get(1);
        assertThat(first.completed()).isFalse();
        assertThat(first.discarded()).isTrue();
        assertThat(first.failure()).contains("to-1 is unknown");

        BatchHandle parcels = client.enqueueAll(Letters.class, id("parcels"), names(0, 3), Letters::parcel);
        parcels.await();
        client.deadLetters()
                .where(d -> d.activity("Letters.parcel"))
                .by("ann")
                .because("moved away")
                .discard();
        assertThat(parcels.await()).isEqualTo(new BatchProgress(3, 1, 2, 0, 2, 0, 0));
        assertThat(parcels.results(String.class).toList().get(1).failure()).contains("discarded by ann: moved away");
    }

    @Test
    void a_failed_job_that_is_enqueued_again_stays_in_its_batch(TestEngine engine) {
        DurableClient client = set(engine);
        unknown.addAll(List.of("to-1", "to-2"));
        client.enqueueAll(Letters.class, id("b"), names(0, 4), Letters::send).await();
        assertThat(client.batch("b").progress().failed()).isEqualTo(2);
        unknown.clear();

        client.enqueueAgain("b/1");
        assertThat(client.enqueueAgain(w -> w.workflowIdPrefix("b/"))).isOne();

        assertThat(client.batch("b").await()).isEqualTo(new BatchProgress(4, 4, 0, 0));
        assertThat(client.batch("b").jobs().count()).isEqualTo(4);
        assertThat(client.batch("b").results(String.class).map(result -> result.value()))
                .containsExactly("to to-0", "to to-1", "to to-2", "to to-3");
    }

    @Test
    void a_batch_is_cancelled_as_a_whole(TestEngine engine) {
        DurableClient client = set(engine);
        client.enqueueAll(Letters.class, id("b"), names(0, 1), Letters::send).await();
        StartOptions later = id("b").startDelay(Duration.ofHours(1));
        BatchHandle batch = client.enqueueAll(Letters.class, later, names(0, 30), Letters::send);
        client.enqueue(Letters.class, id("b/note").startDelay(Duration.ofHours(1)), l -> l.send("note"));
        assertThat(batch.cancel("the sale is over")).isEqualTo(29);
        assertThat(batch.await()).isEqualTo(new BatchProgress(30, 1, 29, 0));
        assertThat(batch.cancel("again")).isZero();
        engine.advance(Duration.ofHours(2));
        assertThat(sent).containsExactly("to-0", "note");
        assertThat(batch.jobs().where(w -> w.status(WorkflowStatus.CANCELLED)).count())
                .isEqualTo(29);
    }

    @Test
    void a_job_follows_a_batch_once_when_it_is_at_rest(TestEngine engine) {
        DurableClient client = set(engine);
        unknown.add("to-1");
        BatchHandle batch =
                client.enqueueAll(Letters.class, id("b").startDelay(Duration.ofHours(1)), names(0, 3), Letters::parcel);
        String following = batch.onCompletion(Reports.class, r -> r.sent("b"));
        assertThat(batch.onCompletion(Reports.class, r -> r.sent("b"))).isEqualTo(following);
        assertThat(following).isEqualTo("b/Reports.sent");
        engine.advance(Duration.ofMinutes(59));
        assertThat(sent).isEmpty();
        engine.advance(Duration.ofMinutes(3));
        assertThat(sent).containsExactly("to-0", "to-2", "report of b");
        assertThat(batch.progress()).isEqualTo(new BatchProgress(3, 2, 0, 1, 0, 1, 0));
        batch.onCompletion(Reports.class, r -> r.sent("b"));
        engine.advance(Duration.ofMinutes(10));
        assertThat(sent).hasSize(3);
    }

    @Test
    void a_batch_of_which_there_is_no_job_is_not_at_rest_but_unknown(TestEngine engine) {
        DurableClient client = set(engine);
        BatchHandle typo = client.batch("typo");
        List<ThrowingCallable> calls = List.of(
                typo::progress,
                typo::await,
                () -> typo.await(Duration.ofSeconds(1)),
                () -> typo.onCompletion(Reports.class, r -> r.sent("typo")));
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call)
                    .isInstanceOf(WorkflowNotFoundException.class)
                    .hasMessage(
                            "there is no job of batch typo, so nothing is known of how far it is. Usual causes: a misspelt"
                                    + " id; a transaction that enqueued it and is still open, or was rolled back; or no items: of such"
                                    + " a batch only the handle that enqueueAll gave knows. Take the id of that handle, batch.id(),"
                                    + " and ask after the commit.");
        }
        engine.settle();
        assertThat(client.workflows().count()).as("nothing was enqueued").isZero();
        assertThat(sent).isEmpty();
    }

    @Test
    void a_batch_of_no_items_is_at_rest_for_who_enqueued_it(TestEngine engine) {
        DurableClient client = set(engine);
        BatchHandle batch = client.enqueueAll(Letters.class, id("b"), List.<String>of(), Letters::send);
        assertThat(batch.await()).isEqualTo(new BatchProgress(0, 0, 0, 0));
        batch.onCompletion(Reports.class, r -> r.sent("b"));
        engine.settle();
        assertThat(sent).containsExactly("report of b");
    }

    @Test
    void a_batch_asks_the_maximum_depth_and_delayed_jobs_count(TestEngine engine) {
        DurableClient client = set(engine);
        client.queues().pause("default");
        client.queues().limits("default", limits -> limits.maxDepth(10));
        assertThatThrownBy(() -> client.enqueueAll(Letters.class, id("b"), names(0, 15), Letters::send))
                .isInstanceOf(QueueFullException.class)
                .hasMessageContaining("task queue default is full: its maxDepth is ")
                .hasMessageContaining("batch b from item 10 on")
                .hasMessageContaining("enqueueAll with this id again adds the rest");
        assertThat(client.batch("b").progress()).isEqualTo(new BatchProgress(10, 0, 0, 10));
        client.queues().resume("default");
        client.batch("b").await();
        client.queues().limits("default", limits -> limits.maxDepth(11));
        client.enqueueAll(Letters.class, id("b"), names(0, 15), Letters::send).await();
        assertThat(sent).containsExactlyElementsOf(names(0, 15));

        StartOptions later = id("later").startDelay(Duration.ofHours(1));
        client.enqueueAll(Letters.class, later, names(0, 5), Letters::send);
        assertThat(engine.store().depth("default", 100))
                .as("delayed jobs wait, too")
                .isEqualTo(5);
        client.queues().limits("default", limits -> limits.maxDepth(5));
        assertThatThrownBy(() -> client.enqueue(Letters.class, l -> l.send("ann")))
                .isInstanceOf(QueueFullException.class);
    }
}
