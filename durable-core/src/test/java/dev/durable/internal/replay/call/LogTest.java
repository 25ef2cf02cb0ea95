package dev.durable.internal.replay.call;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.internal.replay.GivenRun;
import dev.durable.internal.replay.WorkflowInstance;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A line of the code is written once, when its turn is committed. */
class LogTest {
    private static final org.slf4j.Logger log = Durable.logger(LogTest.class);

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>() {
        @Override
        protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing();
            super.append(event);
        }
    };
    private final Logger target = (Logger) LoggerFactory.getLogger(LogTest.class);
    private final Logger ours = (Logger) LoggerFactory.getLogger(RunEnding.class);

    @BeforeEach
    void listen() {
        lines.start();
        target.setLevel(Level.DEBUG);
        target.setAdditive(false);
        target.addAppender(lines);
        ours.addAppender(lines);
    }

    @AfterEach
    void stop() {
        target.detachAppender(lines);
        ours.detachAppender(lines);
    }

    private List<String> written() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void lines_are_written_at_the_commit_with_the_runs_ids_and_never_on_replay() {
        StringBuilder changing = new StringBuilder("then");
        WorkflowInstance instance = GivenRun.stalling(
                w -> {
                    log.info("now {}", changing);
                    changing.append(" later");
                    log.debug("second", new IllegalStateException("with its stack"));
                    log.trace("not enabled");
                    log.atWarn().setMessage("fluent {}").addArgument(1).log();
                    return w.acts.a("x");
                },
                java.time.Duration.ofSeconds(20));
        instance.evict();
        assertThat(written()).as("not committed").isEmpty();

        try (GivenRun run = GivenRun.of(w -> {
            log.info("once {}", w.acts.a("x"));
            return "";
        })) {
            run.completed(1, "done");
            assertThat(written()).containsExactly("once done");
            assertThat(lines.list.getFirst().getMDCPropertyMap())
                    .containsEntry("workflowId", "run-1")
                    .containsKey("runId");
        }
    }

    @Test
    void the_arguments_are_those_of_the_moment_of_the_call() {
        try (GivenRun run = GivenRun.of(w -> {
            StringBuilder changing = new StringBuilder("then");
            log.info("now {}", changing);
            changing.append(" later");
            log.warn("failed", new IllegalStateException("with its stack"));
            log.atWarn().setMessage("fluent {}").addArgument(1).log();
            return w.acts.a("x");
        })) {
            assertThat(written()).containsExactly("now then", "failed", "fluent 1");
            assertThat(lines.list.get(1).getThrowableProxy().getMessage()).isEqualTo("with its stack");
            assertThat(lines.list.get(1).getLevel()).isEqualTo(Level.WARN);
        }
    }

    @Test
    void outside_a_workflow_it_is_a_logger_like_any_other() {
        log.info("outside {}", 1);
        assertThat(written()).containsExactly("outside 1");
        assertThat(log.isTraceEnabled()).isFalse();
        assertThat(log.isDebugEnabled()).isTrue();
    }

    @Test
    void a_failure_nobody_asked_for_is_logged_when_the_run_ends() {
        try (GivenRun run = GivenRun.of(w -> {
            Durable.async(() -> {
                throw new IllegalStateException("lost");
            });
            Promise<String> asked = Durable.async(() -> {
                throw new IllegalStateException("asked for");
            });
            asked.handle((value, failure) -> value);
            Promise<String> askedLate = Durable.async(() -> {
                throw new IllegalStateException("asked for when it had failed");
            });
            Durable.async(w.acts::a, "1").cancel();
            w.acts.nothing();
            askedLate.handle((value, failure) -> value);
            return "";
        })) {
            run.completed(2, null).evicted().signal("unheard", "x");
            assertThat(written())
                    .as("written once, though it was replayed")
                    .containsExactly(
                            "async 1 failed and the workflow never asked for it: its failure is lost with the end of the run");
        }
    }
}
