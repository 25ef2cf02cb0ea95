package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.durable.Activity;
import dev.durable.ActivityFailedException;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.ActivityHandle;
import dev.durable.client.ActivityState;
import dev.durable.client.ActivitySummary;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.HistoryEvent;
import dev.durable.history.IncidentRaised;
import dev.durable.history.IncidentResolved;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs whose arguments the only worker can't read, as long as that is so; on each kind of store. */
abstract class UnreadJobsTest {
    /** Accounts of which amounts can't be read now: as if an old version of the code was deployed. */
    private static final Set<String> UNFIT = ConcurrentHashMap.newKeySet();

    record Amount(String account, int cents) {
        @JsonCreator
        static Amount read(@JsonProperty("account") String account, @JsonProperty("cents") int cents) {
            if (UNFIT.contains(account)) {
                throw new IllegalArgumentException("this version has no cents");
            }
            return new Amount(account, cents);
        }
    }

    @Activity(retry = @Retry(maxAttempts = 1))
    interface Bank {
        String pay(Amount amount);

        @Activity(local = true)
        String check(Amount amount);
    }

    @Workflow
    static class Paying {
        private final Bank bank;

        Paying(Bank bank) {
            this.bank = bank;
        }

        @Run
        String run(String account, boolean local) {
            Amount amount = new Amount(account, 7);
            try {
                return local ? bank.check(amount) : bank.pay(amount);
            } catch (ActivityFailedException e) {
                return "failed: " + e.getMessage();
            }
        }
    }

    private final List<String> paid = Collections.synchronizedList(new ArrayList<>());
    private final String account = UUID.randomUUID().toString();

    private void set(TestEngine engine) {
        UNFIT.add(account);
        engine.register(Paying.class).activity(Bank.class, new Bank() {
            @Override
            public String pay(Amount amount) {
                paid.add(amount.account() + " " + amount.cents());
                return "paid " + amount.cents();
            }

            @Override
            public String check(Amount amount) {
                return pay(amount);
            }
        });
    }

    @AfterEach
    void allFits() {
        UNFIT.remove(account);
    }

    /** A job that can't be read. */
    private ActivityHandle unread(TestEngine engine) {
        set(engine);
        Amount amount = new Amount(account, 7);
        ActivityHandle job = engine.client().enqueue(Bank.class, StartOptions.id("p-1"), b -> b.pay(amount));
        engine.settle();
        return job;
    }

    private static ActivitySummary open(TestEngine engine) {
        return engine.client().activity("p-1", 1).describe();
    }

    private static <E extends HistoryEvent> E only(ActivityHandle job, Class<E> type) {
        List<E> found =
                job.history().stream().filter(type::isInstance).map(type::cast).toList();
        assertThat(found).hasSize(1);
        return found.getFirst();
    }

    @Test
    void a_job_that_can_not_be_read_waits_with_the_reason_and_is_done_once_it_can(TestEngine engine) {
        ActivityHandle job = unread(engine);

        assertThat(open(engine).state()).isEqualTo(ActivityState.READY);
        assertThat(open(engine).attempt()).isEqualTo(1);
        assertThat(open(engine).lastFailure())
                .contains("can't read it: dev.durable.PayloadException: argument 1")
                .contains("of Bank.pay can't be read as " + Amount.class.getName())
                .contains("this version has no cents")
                .doesNotContain("Durable.version");
        engine.advance(Duration.ofMinutes(12));
        assertThat(open(engine).state()).isEqualTo(ActivityState.READY);
        assertThat(job.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);

        UNFIT.remove(account);
        engine.advance(Duration.ofMinutes(2));

        assertThat(job.resultAs(String.class)).isEqualTo("paid 7");
        assertThat(paid).containsExactly(account + " 7");
        ActivityAttemptFailed note = only(job, ActivityAttemptFailed.class);
        assertThat(note.reason()).isEqualTo("not read");
        assertThat(Duration.between(note.at(), note.nextAttemptAt()))
                .isBetween(Duration.ofMinutes(12), Duration.ofMinutes(15));
        assertThat(only(job, ActivityCompleted.class).attempt()).isEqualTo(1);
    }

    @Test
    void after_long_it_is_an_incident_with_the_text_and_a_retry_makes_it_available_again(TestEngine engine) {
        ActivityHandle job = unread(engine);

        engine.advance(Duration.ofMinutes(17));

        assertThat(engine.client().incidents().groups(10)).singleElement().satisfies(group -> {
            assertThat(group.fingerprint()).isEqualTo("Bank.pay: not read");
            assertThat(group.lastFailure()).contains("this version has no cents");
        });
        assertThat(open(engine).attempt()).as("none is used").isEqualTo(1);
        assertThat(job.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);

        assertThat(engine.client().incidents().by("ann").retry()).isOne();
        engine.settle();
        assertThat(open(engine).state()).isEqualTo(ActivityState.READY);
        engine.advance(Duration.ofMinutes(12));
        assertThat(open(engine).state()).as("it has the whole time again").isEqualTo(ActivityState.READY);
        UNFIT.remove(account);
        engine.advance(Duration.ofMinutes(2));

        assertThat(job.resultAs(String.class)).isEqualTo("paid 7");
        assertThat(only(job, ActivityCompleted.class).attempt()).isEqualTo(1);
        assertThat(only(job, IncidentRaised.class).reason()).isEqualTo("not read");
        assertThat(only(job, IncidentResolved.class).by()).isEqualTo("ann");
    }

    @Test
    void with_arguments_that_fit_an_operator_gets_it_done(TestEngine engine) {
        ActivityHandle job = unread(engine);
        engine.advance(Duration.ofMinutes(17));

        engine.client().incidents().one("p-1", 1).retryWith(new Amount("other", 8));
        engine.settle();

        assertThat(job.resultAs(String.class)).isEqualTo("paid 8");
    }

    @Test
    void cancelled_while_nobody_can_read_it_it_is_cancelled(TestEngine engine) {
        ActivityHandle job = unread(engine);

        job.cancel("never mind");
        engine.settle();

        assertThat(job.describe().summary().status()).isEqualTo(WorkflowStatus.CANCELLED);
    }

    @Test
    void an_activity_of_a_workflow_that_can_not_be_read_is_no_failure_of_the_workflow(TestEngine engine) {
        set(engine);
        var run = engine.client().start(Paying.class, "p-1", w -> w.run(account, false));
        engine.settle();
        assertThat(open(engine).lastFailure()).contains("this version has no cents");
        engine.advance(Duration.ofMinutes(17));
        assertThat(engine.client().incidents().count()).isOne();
        assertThat(run.describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);

        UNFIT.remove(account);
        engine.client().incidents().retry();

        assertThat(run.result()).isEqualTo("paid 7");
    }

    @Test
    void a_local_activity_whose_arguments_do_not_come_back_fails_for_its_own_process_wrote_them(TestEngine engine) {
        set(engine);

        var run = engine.client().start(Paying.class, "p-1", w -> w.run(account, true));

        assertThat(run.result()).startsWith("failed: ").contains("this version has no cents");
        assertThat(paid).isEmpty();
    }
}
