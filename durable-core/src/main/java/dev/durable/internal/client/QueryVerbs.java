package dev.durable.internal.client;

import dev.durable.RefusedInputException;
import dev.durable.client.Operation;
import dev.durable.client.OperationPreview;
import dev.durable.client.WorkflowStatus;
import dev.durable.client.WorkflowVerbs;
import dev.durable.internal.client.OperationOrder.Verb;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.Messages;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.text.Bounds;
import dev.durable.store.RunFilter;
import dev.durable.store.RunRecord;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Implements {@link WorkflowVerbs}: a filter, an operator, and what limits the operation. */
record QueryVerbs(
        Dispatch dispatch,
        ClientCode code,
        OperationVerbs operations,
        RunFilter filter,
        String actor,
        String reason,
        @Nullable Integer perSecond)
        implements WorkflowVerbs {
    private static final Set<WorkflowStatus> FAILED = Set.of(WorkflowStatus.FAILED, WorkflowStatus.TIMED_OUT);
    private static final int COUNTED = 10_000;
    private static final int PAGE = 1_000;

    @Override
    public WorkflowVerbs because(String why) {
        return new QueryVerbs(dispatch, code, operations, filter, actor, code.reason("because", why), perSecond);
    }

    @Override
    public WorkflowVerbs rate(int runs) {
        if (runs < 1) {
            throw new RefusedInputException(
                    "rate(" + runs + "): an operation asks at least one run per second. Leave it"
                            + " out for no limit; stop(…) stops an operation.");
        }
        return new QueryVerbs(dispatch, code, operations, filter, actor, reason, runs);
    }

    @Override
    public OperationPreview dryRun() {
        boolean failed = !filter.statuses().isEmpty() && FAILED.containsAll(filter.statuses());
        RunFilter runs = failed ? failed() : open();
        Map<String, Map<WorkflowStatus, Long>> counted = new TreeMap<>();
        long total = 0;
        UUID after = null;
        while (total < COUNTED) {
            List<RunRecord> page = dispatch.store().views().runs(after == null ? runs : runs.after(after), PAGE);
            if (page.isEmpty()) {
                return preview(counted, false);
            }
            page.forEach(run ->
                    counted.computeIfAbsent(run.type(), type -> new TreeMap<>()).merge(run.status(), 1L, Long::sum));
            total += page.size();
            after = page.getLast().run().runId();
        }
        return preview(counted, true);
    }

    private static OperationPreview preview(Map<String, Map<WorkflowStatus, Long>> counted, boolean atLeast) {
        return new OperationPreview(
                counted.entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, each -> Map.copyOf(each.getValue()))),
                atLeast);
    }

    @Override
    public Operation cancel() {
        return start(Verb.CANCEL);
    }

    @Override
    public Operation terminate() {
        return start(Verb.TERMINATE);
    }

    @Override
    public Operation signal(String name, @Nullable Object... arguments) {
        return start(
                Verb.SIGNAL,
                open(),
                name,
                Messages.arguments(code, null, name, arguments).json(),
                null);
    }

    @Override
    public Operation pause() {
        return start(Verb.PAUSE);
    }

    @Override
    public Operation resume() {
        return start(Verb.RESUME);
    }

    @Override
    public Operation retry() {
        return start(Verb.RETRY, open().stalled(true), null, null, null);
    }

    @Override
    public Operation moveTo(String build) {
        return start(Verb.MOVE, open(), null, null, Bounds.build("moveTo(…)", build));
    }

    @Override
    public Operation retryFromFailure() {
        return start(Verb.RETRY_FROM_FAILURE, failed(), null, null, null);
    }

    private Operation start(Verb verb) {
        return start(verb, open(), null, null, null);
    }

    private Operation start(
            Verb verb, RunFilter runs, @Nullable String signal, @Nullable String input, @Nullable String build) {
        WorkflowCode.mayNot("client.workflows()." + verb.shown() + "()", "start the operation again");
        return operations.start(new OperationOrder(verb, actor, reason, perSecond, runs, signal, input, build));
    }

    /** Returns the filter of the failed runs that were started before now, oldest first. */
    private RunFilter failed() {
        return startedBefore(FAILED, "a retry from failure is for runs that have failed or timed out", "");
    }

    /** Returns the filter of the open runs that were started before now, oldest first. */
    private RunFilter open() {
        return startedBefore(
                Stream.of(WorkflowStatus.values())
                        .filter(status -> !status.closed())
                        .collect(Collectors.toSet()),
                "an operation is for open runs",
                ": nothing can happen to them any more, but for a retryFromFailure() of failed ones");
    }

    private RunFilter startedBefore(Set<WorkflowStatus> all, String what, String why) {
        Set<WorkflowStatus> statuses = all.stream()
                .filter(status ->
                        filter.statuses().isEmpty() || filter.statuses().contains(status))
                .collect(Collectors.toSet());
        if (statuses.isEmpty()) {
            throw new RefusedInputException(what + ", and this filter finds runs that are "
                    + filter.statuses().stream().sorted().toList() + why + ". Leave the status out.");
        }
        Instant now = dispatch.store().clock().now();
        Instant before = filter.startedBefore();
        return filter.statuses(statuses)
                .startedBefore(before == null || before.isAfter(now) ? now : before)
                .newestFirst(false);
    }
}
