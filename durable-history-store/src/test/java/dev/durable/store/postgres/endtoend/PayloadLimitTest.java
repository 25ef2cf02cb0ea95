package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityFailedException;
import dev.durable.Durable;
import dev.durable.PayloadException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableEngine;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A payload of ten megabytes, with a limit of two, is refused before anything is written, with the limit's name and the
 * way out.
 */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class PayloadLimitTest {
    private static final int MEGABYTES = 10;
    private static final String TOO_LARGE =
            " is 10,485,762 bytes, the limit is 2,097,152. Store it elsewhere (a table, an object store) and pass a reference, or raise builder.maxPayloadBytes(…), in Spring durable.max-payload-size: every replay reads it again.";

    private static String scan() {
        return "x".repeat(MEGABYTES << 20);
    }

    @Activity(startToClose = "10s")
    interface Scanner {
        String scan(String document);

        void keep(String scan);
    }

    @Workflow
    static class Archive {
        private final Scanner scanner;
        private String closedBy = "";

        Archive(Scanner scanner) {
            this.scanner = scanner;
        }

        @Run
        String run(String what) {
            return switch (what) {
                case "result of an activity" -> scannedOrWhyNot();
                case "argument of an activity" -> {
                    scanner.keep(PayloadLimitTest.scan());
                    yield "kept";
                }
                case "own result" -> PayloadLimitTest.scan();
                default -> {
                    Durable.await(() -> !closedBy.isEmpty());
                    yield closedBy;
                }
            };
        }

        private String scannedOrWhyNot() {
            try {
                return scanner.scan("contract");
            } catch (ActivityFailedException e) {
                return "not scanned: " + e.getMessage();
            }
        }

        @Signal
        void close(String by) {
            closedBy = by;
        }
    }

    private static final class LargeScanner implements Scanner {
        final AtomicInteger scans = new AtomicInteger();

        @Override
        public String scan(String document) {
            scans.incrementAndGet();
            return PayloadLimitTest.scan();
        }

        @Override
        public void keep(String scan) {}
    }

    private final LargeScanner scanner = new LargeScanner();

    @Test
    void an_argument_of_a_start_is_refused_and_nothing_was_started() {
        try (Bench bench = new Bench();
                DurableEngine engine = engine(bench)) {
            assertThatThrownBy(() -> engine.client().start(Archive.class, "a-1", w -> w.run(scan())))
                    .isInstanceOf(PayloadException.class)
                    .hasMessageMatching("argument 1( \\(what\\))? of Archive\\.run\\Q" + TOO_LARGE + "\\E");
            assertThatThrownBy(() -> engine.client().history("a-1")).isInstanceOf(WorkflowNotFoundException.class);
        }
    }

    @Test
    void an_argument_of_a_signal_is_refused_and_the_run_goes_on() {
        try (Bench bench = new Bench();
                DurableEngine engine = engine(bench)) {
            var run = engine.client().start(Archive.class, "a-1", w -> w.run("signal"));
            assertThatThrownBy(() -> run.signal(w -> w.close(scan())))
                    .isInstanceOf(PayloadException.class)
                    .hasMessageEndingWith(TOO_LARGE);
            run.signal(w -> w.close("ann"));
            assertThat(run.result(Bench.SOON)).isEqualTo("ann");
        }
    }

    @Test
    void the_result_of_an_activity_fails_it_once_and_the_workflow_may_catch_that() {
        try (Bench bench = new Bench();
                DurableEngine engine = engine(bench)) {
            var run = engine.client().start(Archive.class, "a-1", w -> w.run("result of an activity"));
            assertThat(run.result(Bench.SOON))
                    .startsWith("not scanned: ")
                    .contains("the result of Scanner.scan" + TOO_LARGE);
            assertThat(scanner.scans).as("a further attempt would be as large").hasValue(1);
        }
    }

    @Test
    void an_argument_of_an_activity_fails_the_run_with_the_limit() {
        try (Bench bench = new Bench();
                DurableEngine engine = engine(bench)) {
            var run = engine.client().start(Archive.class, "a-1", w -> w.run("argument of an activity"));
            assertThatThrownBy(() -> run.result(Bench.SOON))
                    .isInstanceOf(WorkflowFailedException.class)
                    .hasStackTraceContaining("of Scanner.keep" + TOO_LARGE);
        }
    }

    @Test
    void the_own_result_fails_the_run_with_the_limit() {
        try (Bench bench = new Bench();
                DurableEngine engine = engine(bench)) {
            var run = engine.client().start(Archive.class, "a-1", w -> w.run("own result"));
            assertThatThrownBy(() -> run.result(Bench.SOON))
                    .isInstanceOf(WorkflowFailedException.class)
                    .hasStackTraceContaining("the result of Archive.run" + TOO_LARGE);
        }
    }

    private DurableEngine engine(Bench bench) {
        return bench.engine().register(Archive.class, scanner).start();
    }
}
