package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.WorkflowStarted;
import dev.durable.intercept.ContextPropagator;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** The context of a run's caller is there in its code and its activities; run on each kind of store. */
abstract class ContextPropagatorsTest {

    @Activity(retry = @Retry(maxAttempts = 2, initialInterval = "1s"))
    interface Desk {
        String tenant();

        @Activity(local = true)
        String localTenant();
    }

    static class RealDesk implements Desk {
        @Override
        public String tenant() {
            return seen("activity");
        }

        @Override
        public String localTenant() {
            return seen("local");
        }
    }

    private static String seen(String where) {
        return where + " " + MDC.get("tenant") + " " + MDC.get("user");
    }

    @Workflow
    static class Trip {
        private static final org.slf4j.Logger log = Durable.logger(Trip.class);
        private final Desk desk;
        private String signalled = "";

        Trip(Desk desk) {
            this.desk = desk;
        }

        @Run
        List<String> run() {
            log.info("away");
            String asynchronous = Durable.async(() -> seen("async")).get();
            String remote = desk.tenant();
            // Code that depends on the context is the same on each replay.
            String local = "acme".equals(MDC.get("tenant")) ? desk.localTenant() : "none";
            Durable.await(() -> !signalled.isEmpty());
            return List.of(seen("run"), asynchronous, remote, local, signalled);
        }

        @Signal
        void stamp() {
            signalled = seen("signal");
        }

        @Query
        String who() {
            return seen("query");
        }
    }

    @AfterEach
    void clear() {
        MDC.clear();
    }

    private static WorkflowHandle<Trip, List<String>> trip(TestEngine engine, StartOptions options) {
        engine.register(Trip.class, new RealDesk());
        return engine.client().start(Trip.class, options, Trip::run);
    }

    @Test
    void keys_of_the_callers_mdc_are_there_in_all_code_of_the_run_and_its_activities_and_in_no_other(
            TestEngine engine) {
        engine.propagate(ContextPropagator.mdc("tenant", "user"));
        MDC.put("tenant", "acme");
        MDC.put("request", "not carried");
        var run = trip(engine, StartOptions.id("trip-1"));
        MDC.clear();
        var other = engine.client().start(Trip.class, "trip-2", Trip::run);
        MDC.put("tenant", "who signals does not matter");
        run.signal(Trip::stamp);
        other.signal(Trip::stamp);

        assertThat(run.result())
                .containsExactly(
                        "run acme null",
                        "async acme null",
                        "activity acme null",
                        "local acme null",
                        "signal acme null");
        assertThat(other.result())
                .containsExactly("run null null", "async null null", "activity null null", "none", "signal null null");
        assertThat(run.query(Trip::who)).as("by replay").isEqualTo("query acme null");
        assertThat(run.history()
                        .events(WorkflowStarted.class)
                        .findFirst()
                        .orElseThrow()
                        .headers())
                .isEqualTo(Map.of("mdc.tenant", "acme"));
        assertThat(MDC.getCopyOfContextMap()).as("of this thread").hasSize(1);
    }

    @Test
    void a_header_of_the_start_wins_over_what_the_caller_has(TestEngine engine) {
        engine.propagate(ContextPropagator.mdc("tenant"));
        MDC.put("tenant", "mine");
        var run = trip(engine, StartOptions.id("trip-1").header("mdc.tenant", "acme"));
        run.signal(Trip::stamp);

        assertThat(run.result().getFirst()).isEqualTo("run acme null");
    }

    @Test
    void lines_that_workflow_code_logs_have_the_context_beside_the_ids(TestEngine engine) {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        var logger = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(Trip.class);
        logger.setLevel(Level.INFO);
        lines.start();
        logger.addAppender(lines);
        String runId;
        try {
            engine.propagate(ContextPropagator.mdc("tenant"));
            MDC.put("tenant", "acme");
            var run = trip(engine, StartOptions.id("logged-1"));
            runId = run.runId().toString();
            MDC.clear();
            run.signal(Trip::stamp);
            run.result();
        } finally {
            logger.detachAppender(lines);
        }

        List<Map<String, String>> contexts = lines.list.stream()
                .map(ILoggingEvent::getMDCPropertyMap)
                .filter(context -> runId.equals(context.get("runId")))
                .toList();
        assertThat(contexts).hasSize(1);
        assertThat(contexts.getFirst()).containsEntry("tenant", "acme").containsEntry("workflowId", "logged-1");
    }

    /** Carries a tenant, and fails where a test wants it. */
    static class Tenants implements ContextPropagator {
        private static final ThreadLocal<@Nullable String> CURRENT = new ThreadLocal<>();
        private final String name;
        private int failing;

        Tenants(String name, int failing) {
            this.name = name;
            this.failing = failing;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Map<String, String> capture() {
            String tenant = CURRENT.get();
            return tenant == null ? Map.of() : Map.of("id", tenant);
        }

        @Override
        public Scope restore(Map<String, String> context) {
            if (context.containsKey("id") && failing > 0) {
                failing--;
                throw new IllegalStateException("tenant " + context.get("id") + " is not known here");
            }
            String before = CURRENT.get();
            CURRENT.set(context.get("id"));
            return () -> CURRENT.set(before);
        }
    }

    @Test
    void a_context_that_can_not_be_restored_stalls_the_run_until_it_can(TestEngine engine) {
        engine.propagate(new Tenants("tenant", 2));
        var run = trip(engine, StartOptions.id("trip-1").header("tenant.id", "acme"));

        assertThatThrownBy(engine::settle).isInstanceOf(WorkflowStalledException.class);
        assertThat(run.describe().stalledBy())
                .isEqualTo("the context of Trip trip-1 can't be bound to a thread: a context propagator threw"
                        + " java.lang.IllegalStateException: tenant acme is not known here in restore(…). Nothing is"
                        + " written, and it is tried again. Usual cause: it can't read what an older or newer version of it"
                        + " captured. Deploy one that reads both.");

        engine.advance(Duration.ofMinutes(5));
        run.signal(Trip::stamp);
        assertThat(run.result()).hasSize(5);
    }

    @Test
    void a_context_that_can_not_be_restored_around_a_body_is_a_failure_of_the_attempt(TestEngine engine) {
        engine.register(new RealDesk()).propagate(new Tenants("tenant", 1));
        var job =
                engine.client().enqueue(Desk.class, StartOptions.id("job-1").header("tenant.id", "acme"), Desk::tenant);
        engine.advance(Duration.ofSeconds(2));

        assertThat(job.resultAs(String.class)).isEqualTo("activity null null");
        assertThat(engine.client().history("job-1").stream()
                        .filter(ActivityAttemptFailed.class::isInstance)
                        .map(event -> ((ActivityAttemptFailed) event).failure().message()))
                .containsExactly("tenant acme is not known here");
    }

    @Test
    void what_an_activity_starts_has_the_context_of_the_activity(TestEngine engine) {
        engine.propagate(ContextPropagator.mdc("tenant"));
        engine.register(Trip.class).activity(Desk.class, new RealDesk() {
            @Override
            public String tenant() {
                if (ActivityContext.current().info().workflowId().equals("job-1")) {
                    engine.client().enqueue(Desk.class, StartOptions.id("job-2"), Desk::tenant);
                }
                return super.tenant();
            }
        });
        MDC.put("tenant", "acme");
        engine.client().enqueue(Desk.class, StartOptions.id("job-1"), Desk::tenant);
        MDC.clear();
        engine.settle();

        assertThat(engine.client().job("job-2").resultAs(String.class)).isEqualTo("activity acme null");
    }

    @Test
    void a_key_of_the_mdc_that_a_caller_chose_forges_no_line_and_is_cut(TestEngine engine) {
        engine.propagate(ContextPropagator.mdc("tenant"));
        MDC.put("tenant", "acme\n12:00 ERROR forged \u202e" + "x".repeat(60_000));
        var run = trip(engine, StartOptions.id("trip-1"));
        MDC.clear();
        run.signal(Trip::stamp);

        assertThat(run.result())
                .filteredOn(bound -> !bound.equals("none"))
                .isNotEmpty()
                .allSatisfy(bound -> assertThat(bound)
                        .contains("acme\\u000a12:00 ERROR forged \\u202exxx")
                        .doesNotContain("\n")
                        .hasSizeLessThan(1_100));
        assertThat(run.history().started().headers().get("mdc.tenant"))
                .as("the header is as it was captured")
                .hasSizeGreaterThan(60_000);
    }

    @Test
    void names_of_propagators_are_different_and_can_begin_a_header(TestEngine engine) {
        engine.propagate(ContextPropagator.mdc("tenant"));

        assertThatThrownBy(() -> engine.propagate(ContextPropagator.mdc("user")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("two context propagators are called mdc: ContextPropagator.mdc[tenant] and"
                        + " ContextPropagator.mdc[user], so one would get what the other captured. Give them different names;"
                        + " keys of the MDC go into one propagator, mdc(\"tenant\", \"user\").");
        assertThatThrownBy(() -> engine.propagate(new Tenants("my tenant", 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith(
                        " is called \"my tenant\": its name is the beginning of its headers, and has 1 to 60 letters,"
                                + " digits, - and _.");
        assertThatThrownBy(() -> ContextPropagator.mdc("runId"))
                .hasMessage("ContextPropagator.mdc(…) can't carry runId: the engine puts that of the run or the attempt"
                        + " there. It has [activity, attempt, runId, workflowId]. Take another key.");
        assertThatThrownBy(ContextPropagator::mdc)
                .hasMessage("ContextPropagator.mdc() carries nothing: name the keys of the MDC, such as mdc(\"tenant\","
                        + " \"user\"). Not all are carried, as some belong to one request or one thread.");
    }
}
