package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.StaleAttemptException;
import dev.durable.client.ActivityHandle;
import dev.durable.client.ActivityState;
import dev.durable.client.DurableEngine;
import dev.durable.client.ExternalActivity;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.contract.FaultyStore;
import dev.durable.store.contract.FaultyStore.Fault;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.slf4j.LoggerFactory;

/** A report of the holder of a token is carried out once, also where the answer of the database is lost. */
@Timeout(120)
class HolderOfTokenTest {

    @Activity(retry = @Retry(maxAttempts = 2, initialInterval = "1h"))
    interface Bank {
        String pay(String what);

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.INCIDENT))
        String carefully(String what);
    }

    private final FaultyStore faulty = FaultyStore.over(new InMemoryHistoryStore());
    private final LinkedBlockingQueue<String> tokens = new LinkedBlockingQueue<>();

    private DurableEngine engine() {
        return DurableEngine.builder(faulty.store())
                .activity(Bank.class, new Bank() {
                    @Override
                    public String pay(String what) {
                        tokens.add(ActivityContext.current().completeLater());
                        return what;
                    }

                    @Override
                    public String carefully(String what) {
                        return pay(what);
                    }
                })
                .start();
    }

    private ExternalActivity holder(DurableEngine engine) throws InterruptedException {
        return engine.client().activity(tokens.poll(60, TimeUnit.SECONDS));
    }

    @Test
    @ResourceLock("dev.durable.failed")
    void a_failure_whose_answer_was_lost_has_used_one_attempt() throws Exception {
        try (DurableEngine engine = engine()) {
            ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.pay("a"));
            ExternalActivity holder = holder(engine);
            faulty.next("order", Fault.DONE_BUT_UNKNOWN);
            Logger logger = (Logger) LoggerFactory.getLogger("dev.durable.failed.Attempt");
            ListAppender<ILoggingEvent> lines = new ListAppender<>();
            lines.start();
            logger.addAppender(lines);
            try {
                holder.fail(new IllegalStateException("declined"));
            } finally {
                logger.detachAppender(lines);
            }

            assertThat(lines.list).as("its line in the log").hasSize(1);
            assertThat(faulty.allSeen()).isTrue();
            assertThat(engine.client().activity(job.id(), 1).describe().attempt())
                    .isEqualTo(2);
        }
    }

    @Test
    void a_failure_that_was_never_written_is_written_when_it_is_told_again() throws Exception {
        try (DurableEngine engine = engine()) {
            ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.pay("a"));
            ExternalActivity holder = holder(engine);
            faulty.next("order", Fault.NOT_DONE_AND_UNKNOWN);

            holder.fail(new IllegalStateException("declined"));

            assertThat(engine.client().activity(job.id(), 1).describe().attempt())
                    .isEqualTo(2);
        }
    }

    @Test
    void who_was_told_nothing_tells_it_again_and_is_not_called_stale() throws Exception {
        try (DurableEngine engine = engine()) {
            ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.carefully("a"));
            ExternalActivity holder = holder(engine);
            faulty.next("order", Fault.DONE_BUT_UNKNOWN, Fault.NOT_DONE_AND_UNKNOWN);
            assertThatThrownBy(() -> holder.fail(new IllegalStateException("declined")))
                    .isInstanceOf(CommitUnknownException.class);

            holder.fail(new IllegalStateException("declined"));

            assertThat(engine.client().activity(job.id(), 1).describe().state()).isEqualTo(ActivityState.INCIDENT);
            assertThatThrownBy(() -> holder.fail(new IllegalStateException("another failure")))
                    .isInstanceOf(StaleAttemptException.class);
        }
    }

    @Test
    void a_completion_whose_answer_was_lost_is_accepted() throws Exception {
        try (DurableEngine engine = engine()) {
            ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.pay("a"));
            ExternalActivity holder = holder(engine);
            faulty.next("order", Fault.DONE_BUT_UNKNOWN);

            holder.complete("paid");

            assertThat(job.resultAs(String.class)).isEqualTo("paid");
            holder.complete("paid");
        }
    }

    @Test
    void of_a_token_that_was_changed_nothing_counts() throws Exception {
        try (DurableEngine engine = engine()) {
            ActivityHandle job = engine.client().enqueue(Bank.class, b -> b.pay("a"));
            String token = tokens.poll(60, TimeUnit.SECONDS);

            for (String[] change : new String[][] {{"Bank.pay", "Bank.carefully"}, {job.id(), "another"}}) {
                ExternalActivity forged = engine.client().activity(changed(token, change[0], change[1]));
                for (Runnable call : List.<Runnable>of(
                        () -> forged.complete("mine"),
                        () -> forged.fail(new IllegalStateException("mine")),
                        () -> forged.heartbeat("mine"),
                        () -> forged.updateTimeout(Duration.ofHours(1)))) {
                    assertThatThrownBy(call::run)
                            .as(change[1])
                            .isInstanceOf(StaleAttemptException.class)
                            .hasMessageContaining(
                                    "or the token is not as completeLater() gave it. Nothing was written.");
                }
            }

            assertThat(engine.client().activity(job.id(), 1).describe().attempt())
                    .isOne();
            engine.client().activity(token).complete("paid");
            assertThat(job.resultAs(String.class)).isEqualTo("paid");
        }
    }

    private static String changed(String token, String from, String to) {
        String plain = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
        assertThat(plain).contains(from);
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(plain.replace(from, to).getBytes(StandardCharsets.UTF_8));
    }
}
