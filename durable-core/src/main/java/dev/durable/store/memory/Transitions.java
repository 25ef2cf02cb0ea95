package dev.durable.store.memory;

import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.store.LeftJob;
import dev.durable.store.NewRun;
import dev.durable.store.Nudges.RunsDue;
import dev.durable.store.Nudges.UpdateAnswered;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.ReadBack;
import dev.durable.store.Transition;
import dev.durable.store.Transition.Outcome;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Applies transitions of runs: checks each as a whole, then writes it as a whole. */
final class Transitions {
    private final Tables tables;

    Transitions(Tables tables) {
        this.tables = tables;
    }

    Outcome commit(Transition step) {
        RunRow run = tables.runs().findOpen(step.run().runId());
        if (run == null
                || !run.hold().fence().equals(step.fences().held())
                || run.nextEventId() != step.nextEventId()) {
            return Outcome.FENCE_LOST;
        }
        if (step.stall() != null) {
            return stall(run, step, step.stall());
        }
        if (!holdsAll(run, step.jobs().settled())) {
            return Outcome.STALE;
        }
        return step.close() != null ? close(run, step, step.close()) : move(run, step);
    }

    ReadBack.Outcome readBack(ReadBack attempt) {
        RunRow run = tables.runs().find(attempt.run().runId());
        if (run == null) {
            return attempt.eventId() == 1 ? ReadBack.Outcome.NOT_HAPPENED : ReadBack.Outcome.OVERTAKEN;
        }
        if (run.wasWrittenUnder(attempt.fence(), attempt.eventId())) {
            return ReadBack.Outcome.HAPPENED;
        }
        return run.isOpen() && run.nextEventId() == attempt.eventId()
                ? ReadBack.Outcome.NOT_HAPPENED
                : ReadBack.Outcome.OVERTAKEN;
    }

    private void answer(Transition step) {
        tables.streams().append(step.mail().chain(), step.appends());
        tables.replies().add(step.mail());
        if (step.answersUpdates()) {
            tables.hints().owe(new UpdateAnswered(step.mail().chain()));
        }
    }

    private Outcome stall(RunRow run, Transition step, Transition.Stall why) {
        run.hold().stall(why, step.build(), step.fences().next(), tables.now());
        tables.place(run);
        if (why.queueOfOthers() != null) {
            tables.hints().owe(new RunsDue(why.queueOfOthers()));
        }
        return Outcome.APPLIED;
    }

    private Outcome close(RunRow run, Transition step, Transition.Close close) {
        NewRun next = close.next();
        if (next == null
                ? run.inbox().refusesClose(step.consumed())
                : step.isByStart() && run.inbox().hasCancel()) {
            if (close.force()) {
                run.hold().markClosing();
            }
            return Outcome.CLOSE_REFUSED;
        }
        Set<Integer> settled =
                step.jobs().settled().stream().map(Transition.Settled::seq).collect(Collectors.toSet());
        Stream<LeftJob> jobs = run.jobs().values().stream()
                .filter(job -> !settled.contains(job.key().seq()))
                .map(Job::left);
        List<LeftJob> left = Stream.concat(jobs, next == null ? Stream.of() : outcomes(run, step))
                .toList();
        Instant at = step.events().getLast().at();
        answer(step);
        run.tellDetails(step.details());
        run.append(
                step.closingWith(LeftJob.events(left, at)).events(),
                step.fences().next());
        tables.send(
                run, step.sends().stream().filter(send -> !send.isTo(run.key())).toList());
        step.jobs().settled().forEach(ended -> tables.delete(run, job(run, ended.seq())));
        run.inbox().removeAll(step.consumed());
        Stream<InboxMessage> again =
                step.sends().stream().filter(send -> send.isTo(run.key())).map(OutgoingMessage::message);
        List<InboxMessage> waiting =
                Stream.concat(again, run.inbox().ofSenders().stream()).toList();
        tables.end(
                run,
                new RunRow.Ending(
                        close.status(),
                        close.result(),
                        close.failure(),
                        tables.now(),
                        step.fences().next(),
                        next == null ? null : next.run().runId()));
        if (next != null) {
            tables.goOn(next, run, waiting);
        }
        return Outcome.APPLIED;
    }

    /** Returns what tells of outcomes of activities that wait, and that the next run is not given. */
    private static Stream<LeftJob> outcomes(RunRow run, Transition step) {
        Set<UUID> consumed = Set.copyOf(step.consumed());
        return run.inbox().first(Integer.MAX_VALUE).stream()
                .filter(message -> message.kind() == MessageKind.ACTIVITY_OUTCOME)
                .filter(message -> !consumed.contains(message.messageId()))
                .map(LeftJob::of);
    }

    private Outcome move(RunRow run, Transition step) {
        Instant now = tables.now();
        run.append(step.events(), step.fences().next());
        run.tellDetails(step.details());
        run.inbox().removeAll(step.consumed());
        tables.send(run, step.sends());
        answer(step);
        step.jobs().settled().forEach(ended -> tables.delete(run, job(run, ended.seq())));
        tables.bear(run, step.jobs().scheduled());
        step.jobs().cancelled().forEach(seq -> cancel(run.jobs().get(seq)));
        boolean messagesWait = !run.inbox().isEmpty();
        run.hold().moveOn(step, messagesWait, now);
        tables.place(run);
        return step.park() && messagesWait ? Outcome.APPLIED_MORE : Outcome.APPLIED;
    }

    private void cancel(@Nullable Job job) {
        if (job != null) {
            tables.cancel(job);
        }
    }

    private static boolean holdsAll(RunRow run, List<Transition.Settled> settled) {
        return settled.stream().allMatch(s -> {
            Job job = run.jobs().get(s.seq());
            return job != null && job.heldUnder(s.lease());
        });
    }

    private static Job job(RunRow run, int seq) {
        return Objects.requireNonNull(run.jobs().get(seq));
    }
}
