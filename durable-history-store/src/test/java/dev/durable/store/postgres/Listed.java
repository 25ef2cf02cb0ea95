package dev.durable.store.postgres;

import dev.durable.client.WorkflowStatus;
import dev.durable.store.RunFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/** The usual filters of listings of runs, on the tables of {@link LargeFill}. */
enum Listed {
    ALL(filter -> filter),
    FAILED(filter -> filter.statuses(Set.of(WorkflowStatus.FAILED))),
    FAILED_OR_TIMED_OUT(filter -> filter.statuses(Set.of(WorkflowStatus.FAILED, WorkflowStatus.TIMED_OUT))),
    RARE_STATUS(filter -> filter.statuses(Set.of(WorkflowStatus.TIMED_OUT))),
    STATUS_OF_NONE(filter -> filter.statuses(Set.of(WorkflowStatus.TERMINATED))),
    FAILED_SINCE_YESTERDAY(
            filter -> filter.statuses(Set.of(WorkflowStatus.FAILED)).closedAfter(ago(1))),
    FAILED_OF_A_TYPE(filter -> filter.statuses(Set.of(WorkflowStatus.FAILED)).types(Set.of("T3"))),
    FAILED_OF_A_RARE_TYPE(
            filter -> filter.statuses(Set.of(WorkflowStatus.FAILED)).types(Set.of("Rare"))),
    FAILED_ON_A_QUEUE(filter -> filter.statuses(Set.of(WorkflowStatus.FAILED)).taskQueue("q1")),
    FAILED_WITH_A_PREFIX(
            filter -> filter.statuses(Set.of(WorkflowStatus.FAILED)).workflowIdPrefix("order-1")),
    FAILED_JOBS_OF_AN_ACTIVITY(filter -> filter.statuses(Set.of(WorkflowStatus.FAILED))
            .types(Set.of("durable.job"))
            .activity("A.a")),
    FAILED_JOBS_OF_NO_ACTIVITY(filter -> filter.statuses(Set.of(WorkflowStatus.FAILED))
            .types(Set.of("durable.job"))
            .activity("Never.called")),
    OPEN(filter -> filter.statuses(Set.of(WorkflowStatus.RUNNING))),
    OLDEST_OPEN(filter -> filter.statuses(Set.of(WorkflowStatus.RUNNING)).newestFirst(false)),
    OPEN_OF_A_TYPE(filter -> filter.statuses(Set.of(WorkflowStatus.RUNNING)).types(Set.of("T4"))),
    OPEN_OF_NO_TYPE(filter -> filter.statuses(Set.of(WorkflowStatus.RUNNING)).types(Set.of("Nobody"))),
    OPEN_ON_A_QUEUE(filter -> filter.statuses(Set.of(WorkflowStatus.RUNNING)).taskQueue("q2")),
    OPEN_SINCE_LAST_WEEK(
            filter -> filter.statuses(Set.of(WorkflowStatus.RUNNING)).startedBefore(ago(7))),
    OPEN_OR_FAILED(filter -> filter.statuses(Set.of(WorkflowStatus.RUNNING, WorkflowStatus.FAILED))),
    STALLED(filter -> filter.stalled(true)),
    STALLED_OF_A_TYPE(filter -> filter.stalled(true).types(Set.of("T1"))),
    TYPE(filter -> filter.types(Set.of("T2"))),
    RARE_TYPE(filter -> filter.types(Set.of("Rare"))),
    TYPE_OF_NONE(filter -> filter.types(Set.of("Nobody"))),
    TYPE_AND_STATUS(filter -> filter.types(Set.of("T2")).statuses(Set.of(WorkflowStatus.COMPLETED))),
    QUEUE(filter -> filter.taskQueue("q0")),
    RARE_QUEUE(filter -> filter.taskQueue("rare")),
    WORKFLOW_ID(filter -> filter.workflowId("order-77777")),
    PREFIX(filter -> filter.workflowIdPrefix("order-")),
    RARE_PREFIX(filter -> filter.workflowIdPrefix("vip-")),
    PREFIX_OF_NONE(filter -> filter.workflowIdPrefix("nobody-")),
    STARTED_IN_A_DAY(filter -> filter.startedAfter(ago(9)).startedBefore(ago(8))),
    STARTED_IN_A_DAY_OLDEST_FIRST(
            filter -> filter.startedAfter(ago(9)).startedBefore(ago(8)).newestFirst(false)),
    CLOSED_IN_A_DAY(filter -> filter.closedAfter(ago(6)).closedBefore(ago(5))),
    CLOSED_SINCE_YESTERDAY(filter -> filter.closedAfter(ago(1))),
    CLOSED_LAST_WEEK_OF_A_TYPE(
            filter -> filter.closedAfter(ago(14)).closedBefore(ago(7)).types(Set.of("T5")));

    @SuppressWarnings("ImmutableEnumChecker") // a lambda that captures nothing
    private final Asked asked;

    Listed(Asked asked) {
        this.asked = asked;
    }

    RunFilter filter() {
        return asked.of(RunFilter.ALL);
    }

    private static Instant ago(int days) {
        return Instant.now().minus(Duration.ofDays(days));
    }

    private interface Asked {
        RunFilter of(RunFilter all);
    }
}
