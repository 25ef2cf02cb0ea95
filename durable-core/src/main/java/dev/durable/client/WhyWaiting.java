package dev.durable.client;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Why a run waits: for what, since when, until when, and at which lines of the workflow's code.
 *
 * @param summary the run
 * @param reasons all that is open: first what holds up the run as a whole, then its activities, timers, children and
 *     callbacks; empty where the run is closed
 * @param code where the code waits, one for each of its coroutines, by a replay in this process; empty where the
 *     workflow's class is not registered here, and where the replay does not come through, as of a run that has stalled
 */
public record WhyWaiting(WorkflowSummary summary, List<WaitingReason> reasons, List<CodeWait> code) {
    /** As many reasons as the text shows. */
    private static final int SHOWN = 20;

    public WhyWaiting {
        reasons = List.copyOf(reasons);
        code = List.copyOf(code);
    }

    /**
     * The wait of one coroutine of the workflow's code.
     *
     * @param coroutine {@code run}, {@code signal approve}, {@code async 3}
     * @param what what its code waits for: {@code a condition}, {@code timer 1 due 2027-01-01T00:00:00Z}
     * @param since when the turn was in which it began to wait
     * @param line {@code OrderWorkflow.run(OrderWorkflow.java:42)}; null where its stack shows no line of the workflow's
     */
    public record CodeWait(
            String coroutine,
            String what,
            Instant since,
            @Nullable String line) {
        /** Without the names, which a workflow's messages and callers may have chosen. */
        @Override
        public String toString() {
            return "CodeWait[since=" + since + "]";
        }
    }

    /** The workflow id. */
    public String workflowId() {
        return summary.workflowId();
    }

    /** The run. */
    public UUID runId() {
        return summary.runId();
    }

    /** Returns whether this is one of the reasons. */
    public boolean isFor(WaitingReason.Kind kind) {
        return reasons.stream().anyMatch(reason -> reason.kind() == kind);
    }

    /**
     * The text for people: one line about the run, one line for each reason (twenty at most), and one for each wait of the
     * code. The SQL function {@code durable.why_waiting} gives the same without the lines of the code.
     */
    public String text() {
        StringBuilder text = new StringBuilder("workflow " + workflowId() + " (" + summary.type() + ", run " + runId()
                + ") waits for"
                + (summary.closedAt() == null
                        ? ":"
                        : " nothing: it is " + summary.status() + " since "
                                + summary.closedAt().truncatedTo(ChronoUnit.SECONDS)));
        reasons.stream()
                .limit(SHOWN)
                .forEach(reason -> text.append("\n- ")
                        .append(reason.text())
                        .append("; what ends it: ")
                        .append(reason.endedBy()));
        if (reasons.size() > SHOWN) {
            text.append("\n- and ").append(reasons.size() - SHOWN).append(" more");
        }
        code.stream()
                .limit(SHOWN)
                .forEach(wait -> text.append("\n  ")
                        .append(wait.coroutine())
                        .append(wait.line() == null ? "" : " at " + wait.line())
                        .append(" waits for ")
                        .append(wait.what()));
        return text.toString();
    }

    /** Without the texts of the reasons, which may show failures and reasons of operators. */
    @Override
    public String toString() {
        return "WhyWaiting[" + summary + ", " + reasons + "]";
    }
}
