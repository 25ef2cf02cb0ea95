package dev.durable.history;

import dev.durable.ActivityCancellationType;
import dev.durable.ActivityOptions;
import dev.durable.ChildCancellationType;
import dev.durable.ChildOptions;
import dev.durable.ParentClosePolicy;
import dev.durable.RetryPolicy;
import dev.durable.ReusePolicy;
import dev.durable.client.WorkflowStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** One event of every type, with every property set somewhere. What it says makes no sense as a run. */
final class GoldenHistory {
    private GoldenHistory() {}

    static History history(Instant t, UUID run) {
        Failure failure = new Failure(
                "com.acme.CardDeclined",
                "declined: \u0000 \"so\" \ud83d",
                "com.acme.Payments.charge(Payments.java:12)\ncom.acme.Main.main(Main.java:3)",
                new Payload("{\"code\": 51}"),
                Failure.of("java.io.IOException", "reset"),
                List.of(Failure.of("java.lang.IllegalStateException", "closed")));
        ActivityOptions options = new ActivityOptions(
                "gpu",
                Duration.ofSeconds(10, 1),
                Duration.ofHours(1),
                Duration.ofDays(1),
                Duration.ofMillis(1500),
                new RetryPolicy(5, Duration.ofMillis(200), 1.5, Duration.ofSeconds(30), 0.1, List.of("com.acme.No"), 2),
                -7,
                true,
                true,
                false,
                Map.of("b", "2", "a", "1"),
                null,
                ActivityCancellationType.TRY_CANCEL,
                null);
        return new History(List.of(
                new WorkflowStarted(
                        1,
                        t,
                        "order-42",
                        run,
                        "OrderWorkflow",
                        "default",
                        new Payload("[{\"id\" : 1.00}]"),
                        3,
                        t.plusSeconds(86400),
                        Map.of("trace", "abc"),
                        false,
                        null,
                        null),
                new ActivityScheduled(2, t, 1, "Payments.charge", "gpu", new Payload("[\"\\u0000\",12]"), options),
                new ActivityScheduled(3, t, 2, "Mail.send", "default", Payload.NO_ARGUMENTS, ActivityOptions.DEFAULT),
                new TimerStarted(4, t, 1, t.plusNanos(1_000)),
                new SideEffectRecorded(5, t, Payload.NULL),
                new VersionRecorded(6, t, "new-prices", 2),
                new ActivityAttemptFailed(7, t, 1, 3, "failed", failure, t.plusSeconds(1), 2),
                new ActivityAttemptFailed(8, t, 1, 4, "worker lost", null, null, 0),
                new ActivityTimeoutUpdated(9, t, 1, 5, t, t.plusSeconds(60), "ann"),
                new UnknownEvent(10, t, "ActivityBlessed", "{\n      \"informing\": true,\n      \"by\": [ 1 ]\n    }"),
                new ActivityCompleted(11, t, 1, 5, id(3), new Payload("\"ok \\ud83d\""), t, "worker-1"),
                new ActivityFailed(12, t, 2, 1, id(4), failure, "worker-2"),
                new ActivityTimedOut(13, t, 3, 2, id(5), TimeoutType.HEARTBEAT, new Payload("{\"row\":7}")),
                new ActivityTimedOut(14, t, 4, 2, id(6), TimeoutType.SCHEDULE_TO_START, null),
                new ActivityCancelRequested(15, t, 5),
                new ActivityCancelled(16, t, 5, 1, id(7), Payload.NULL),
                new ActivityCancelled(17, t, 6, 1, id(8), null),
                new TimerFired(18, t, 1),
                new TimerCancelled(19, t, 2),
                new SignalReceived(20, t, id(9), "approve", new Payload("[\"ann\"]")),
                new WorkflowCancelRequested(21, t, id(10), "too late", "bob"),
                new WorkflowCompleted(22, t, new Payload("{\"b\":1,\"a\":2}")),
                new WorkflowFailed(23, t, failure),
                new WorkflowCancelled(24, t, "too late"),
                new WorkflowTimedOut(25, t, 2),
                new WorkflowTerminated(26, t.plusSeconds(1), "wrong data", "ann", 1),
                new WorkflowPaused(27, t.plusSeconds(1), "an audit", "ann"),
                new WorkflowResumed(28, t.plusSeconds(1), "bob"),
                new ActivityOptionsUpdated(29, t.plusSeconds(1), 1, 5, ActivityOptions.DEFAULT, options, "ann"),
                new ActivityOperated(30, t.plusSeconds(1), 1, 5, "retry", "ann"),
                new IncidentRaised(31, t.plusSeconds(1), 1, 5, "incident", "exhausted", null, 2, "f00d"),
                new IncidentResolved(32, t.plusSeconds(1), 1, "retry", "ann", "mended"),
                new IncidentResolved(
                        33,
                        t.plusSeconds(1),
                        1,
                        "retried with other arguments",
                        "ann",
                        "",
                        5,
                        new Payload("[\"visa\",12]")),
                new FirstTurnStarted(34, t.plusSeconds(1)),
                new SignalReceived(35, t.plusSeconds(1), id(11), "approve", new Payload("[\"bob\"]"), true),
                new WorkflowCancelRequested(36, t.plusSeconds(1), id(12), "too late", "bob", true),
                new WorkflowCompleted(37, t.plusSeconds(1), Payload.NULL, 2, 1),
                new ActivityAbandoned(
                        38,
                        t.plusSeconds(1),
                        1,
                        5,
                        new Payload("{\"row\":7}"),
                        new Payload("{\"type\":\"ActivityFailed\",\"attributes\":{\"seq\":1}}")),
                new ExternalSignalRequested(39, t.plusSeconds(1), 1, "order-43", "approve", new Payload("[\"ann\"]")),
                new ExternalCancelRequested(40, t.plusSeconds(1), 2, "order-44", "too late"),
                new UpdateAccepted(41, t.plusSeconds(1), id(13), "u-1", "redirect", new Payload("[\"elm\"]"), true, t),
                new UpdateCompleted(42, t.plusSeconds(1), "u-1", new Payload("\"ELM\"")),
                new UpdateFailed(43, t.plusSeconds(1), "u-2", Failure.of("com.acme.Unknown", "no such address")),
                new ChildStartRequested(
                        44,
                        t.plusSeconds(1),
                        1,
                        3,
                        "order-42:0000-1",
                        id(14),
                        "Shipping",
                        "default",
                        new Payload("[\"elm\"]"),
                        new ChildOptions(
                                null,
                                ReusePolicy.REJECT_DUPLICATE,
                                null,
                                Duration.ofMinutes(1),
                                Duration.ofMinutes(2),
                                Duration.ofMinutes(3),
                                Duration.ofMinutes(4),
                                Map.of("customer", "7"),
                                Map.of("trace", "a"),
                                ParentClosePolicy.ABANDON,
                                ChildCancellationType.TRY_CANCEL,
                                null,
                                null),
                        null),
                new ChildStartRequested(
                        45,
                        t.plusSeconds(1),
                        2,
                        4,
                        "shipping-7",
                        id(15),
                        "Shipping",
                        "parcels",
                        new Payload("[]"),
                        ChildOptions.defaults(),
                        null),
                new ChildCancelRequested(46, t.plusSeconds(1), 2, 5, "too late", false),
                new ChildCancelRequested(47, t.plusSeconds(1), 2, 6, "undone", true),
                new ChildSignalRequested(48, t.plusSeconds(1), 1, 7, "approve", new Payload("[\"ann\"]")),
                new ChildStartWatched(49, t.plusSeconds(1), 1, 8),
                new ChildStarted(50, t.plusSeconds(1), 1, id(16)),
                new ChildCompleted(51, t.plusSeconds(1), 1, id(14), new Payload("\"sent\"")),
                new ChildFailed(
                        52,
                        t.plusSeconds(1),
                        2,
                        id(15),
                        WorkflowStatus.TIMED_OUT,
                        Failure.of("com.acme.Late", "too late")),
                new ChildFailed(53, t.plusSeconds(1), 3, id(17), WorkflowStatus.TERMINATED, null),
                new ChildCancelled(54, t.plusSeconds(1), 4, id(18), Failure.of("com.acme.Cancelled", "by ann")),
                new ChildStartFailed(55, t.plusSeconds(1), 5, id(19), "workflow shipping-7 is open"),
                new CallbackOpened(56, t.plusSeconds(1), 1, id(21)),
                new CallbackCancelled(57, t.plusSeconds(1), 1, id(21)),
                new CallbackCompleted(58, t.plusSeconds(1), id(22), new Payload("{\"by\":\"ann\"}")),
                new CallbackFailed(59, t.plusSeconds(1), id(23), Failure.of("com.acme.Refused", "by ann")),
                new CallbackTimedOut(60, t.plusSeconds(1), id(24)),
                new CallbackExtended(61, t.plusSeconds(1), id(25), id(26), Duration.ofHours(1)),
                new StreamAppended(62, t.plusSeconds(1), "tokens", new Payload("{\"text\":\"Once\"}")),
                new WorkflowContinuedAsNew(
                        63,
                        t.plusSeconds(1),
                        id(20),
                        "OrderWorkflow",
                        "orders",
                        new Payload("[\"visa\",12]"),
                        Duration.ofMinutes(5),
                        Duration.ofSeconds(1)),
                new WorkflowForked(
                        64,
                        t.plusSeconds(1),
                        id(27),
                        "order-42",
                        UUID.fromString("0195504a-8e80-7abc-8def-0123456789ab"),
                        t.plusSeconds(60),
                        t.plusSeconds(3_600),
                        "ann",
                        new ChainLink(id(28), id(27), 3, 2, List.of()),
                        "the courier was closed"),
                new WorkflowFailed(65, t.plusSeconds(1), failure, 2, 1, null, null, 20L)));
    }

    private static UUID id(int n) {
        return new UUID(0x4000, 0x8000000000000000L + n);
    }
}
