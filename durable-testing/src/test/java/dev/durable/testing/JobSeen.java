package dev.durable.testing;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job as it is seen from outside, by the model or by the engine.
 *
 * @param calls of its body, in the order in which they began
 * @param answers of what operators asked for
 * @param status of its run at the end, or whether it is a dead letter or an incident
 * @param notes what the history records of attempts, operators and the end; null where that is not compared
 */
record JobSeen(
        List<Began> calls,
        List<String> answers,
        String status,
        @Nullable List<Note> notes) {

    /**
     * A call of its body.
     *
     * @param at when
     * @param attempt as its {@code ActivityInfo} has it
     * @param scheduledAt as its {@code ActivityInfo} has it
     * @param details the heartbeat details that it found; 0 is none
     */
    record Began(long at, int attempt, long scheduledAt, int details) {
        private boolean isLike(Began other, long tolerance) {
            return Math.abs(at - other.at) <= tolerance
                    && attempt == other.attempt
                    && Math.abs(scheduledAt - other.scheduledAt) <= tolerance
                    && details == other.details;
        }
    }

    /**
     * Something in its history.
     *
     * @param what it says
     * @param at when; less than 0 where that is not compared
     */
    record Note(String what, long at) {
        Note(String what) {
            this(what, -1);
        }
    }

    /** Returns whether both are equal, times within that tolerance. */
    boolean isLike(JobSeen other, long tolerance, boolean inOrder) {
        return calls.size() == other.calls.size()
                && answers.equals(other.answers)
                && status.equals(other.status)
                && callsAreLike(other, tolerance)
                && (notes == null || other.notes == null || notesAreLike(notes, other.notes, tolerance, inOrder));
    }

    private boolean callsAreLike(JobSeen other, long tolerance) {
        for (int i = 0; i < calls.size(); i++) {
            if (!calls.get(i).isLike(other.calls.get(i), tolerance)) {
                return false;
            }
        }
        return true;
    }

    private static boolean notesAreLike(List<Note> ones, List<Note> others, long tolerance, boolean inOrder) {
        if (ones.size() != others.size()) {
            return false;
        }
        List<Note> left = inOrder ? ones : sorted(ones);
        List<Note> right = inOrder ? others : sorted(others);
        for (int i = 0; i < left.size(); i++) {
            Note one = left.get(i);
            Note two = right.get(i);
            boolean timed = one.at >= 0 && two.at >= 0;
            if (!one.what.equals(two.what) || (timed && Math.abs(one.at - two.at) > tolerance)) {
                return false;
            }
        }
        return true;
    }

    private static List<Note> sorted(List<Note> notes) {
        return notes.stream()
                .sorted(Comparator.comparing(Note::what).thenComparingLong(Note::at))
                .toList();
    }
}
