package dev.durable.testing;

import dev.durable.client.WorkflowStatus;
import dev.durable.testing.FlowProgram.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/**
 * Says what comes of a {@link FlowProgram}, as a plain interpreter without time, processes and messages.
 */
final class FlowModel {
    private final FlowProgram program;
    private final List<String> effects = new ArrayList<>();
    private int words;

    private FlowModel(FlowProgram program) {
        this.program = program;
    }

    /**
     * The outcome of a workflow.
     *
     * @param status how its last run ends
     * @param result its result, or the message of its failure; empty where it is cancelled
     * @param effects of activities, in no order
     * @param words how many messages it takes
     */
    record Outcome(WorkflowStatus status, String result, List<String> effects, int words) {}

    static Outcome of(FlowProgram program) {
        FlowModel model = new FlowModel(program);
        try {
            String result = model.attempts(0, program.failures());
            return model.outcome(WorkflowStatus.COMPLETED, result);
        } catch (Boom e) {
            return model.outcome(WorkflowStatus.FAILED, String.valueOf(e.getMessage()));
        } catch (Cancelled e) {
            return model.outcome(WorkflowStatus.CANCELLED, "");
        }
    }

    private Outcome outcome(WorkflowStatus status, String result) {
        return new Outcome(status, result, effects.stream().sorted().toList(), words);
    }

    @SuppressWarnings("serial")
    private static final class Boom extends Exception {
        Boom(String name) {
            super(name);
        }
    }

    /** The test cancels a workflow that waits for ever. */
    @SuppressWarnings("serial")
    private static final class Cancelled extends Exception {}

    /** Runs a workflow until an attempt succeeds. */
    private String attempts(int block, int failures) throws Boom, Cancelled {
        for (int attempt = 1; ; attempt++) {
            try {
                return attempt(block, attempt <= failures ? "attempt" + attempt : null);
            } catch (Boom e) {
                if (attempt > failures) {
                    throw e;
                }
            }
        }
    }

    private String attempt(int block, String fails) throws Boom, Cancelled {
        Deque<String> undos = new ArrayDeque<>();
        List<String> seen = new ArrayList<>();
        try {
            run(block, seen, undos);
            if (fails != null) {
                throw new Boom(fails);
            }
            return seen.toString();
        } catch (Boom | Cancelled e) {
            effects.addAll(undos);
            throw e;
        }
    }

    private void run(int block, List<String> seen, Deque<String> undos) throws Boom, Cancelled {
        for (Step step : program.block(block)) {
            run(step, seen, undos);
        }
    }

    private void run(Step step, List<String> seen, Deque<String> undos) throws Boom, Cancelled {
        switch (step) {
            case Step.Act s -> {
                effects.add(s.name());
                seen.add(s.name());
            }
            case Step.Fail s -> throw new Boom(s.name());
            case Step.Sleep ignored -> seen.add("slept");
            case Step.TimeOut ignored -> seen.add("timed out");
            case Step.Race ignored -> seen.add("first");
            case Step.SideEffect s -> seen.add("value " + s.value());
            case Step.Promised s -> seen.add("promised " + s.minutes());
            case Step.Together s -> together(s.blocks(), seen, undos);
            case Step.MapOver s -> together(Collections.nCopies(s.items(), s.block()), seen, undos);
            case Step.Child s -> seen.add("child " + attempts(s.block(), s.failures()));
            case Step.Open s -> seen.add(s.name());
            case Step.Join s -> seen.add("joined " + attempts(s.block(), 0));
            case Step.Poked ignored -> seen.add("poked");
            case Step.Saga s -> {
                try {
                    run(s.block(), seen, undos);
                } catch (Boom e) {
                    effects.add(s.undo());
                    throw e;
                }
                seen.add("saga");
            }
            case Step.Undo s -> undos.push(s.name());
            case Step.Try s -> {
                try {
                    run(s.block(), seen, undos);
                } catch (Boom e) {
                    seen.add("caught " + e.getMessage());
                }
            }
            case Step.Retry s -> retry(s, seen, undos);
            case Step.Cancelled s -> {
                effects.add(s.cleanUp());
                seen.add("cancelled");
            }
            case Step.Take s -> {
                for (int i = 0; i < s.words(); i++) {
                    if (isUpdate(words)) {
                        effects.add(told(words));
                    }
                    seen.add(word(words++));
                }
            }
            case Step.Link s -> run(s.block(), seen, undos);
            case Step.Forever s -> {
                effects.add(s.cleanUp());
                throw new Cancelled();
            }
        }
    }

    /** All blocks are run; the failure is that of the first that has failed. */
    private void together(List<Integer> blocks, List<String> seen, Deque<String> undos) throws Boom, Cancelled {
        Boom first = null;
        List<String> all = new ArrayList<>();
        for (int block : blocks) {
            List<String> each = new ArrayList<>();
            try {
                run(block, each, undos);
                all.add(each.toString());
            } catch (Boom e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
        seen.add("all " + all);
    }

    private void retry(Step.Retry step, List<String> seen, Deque<String> undos) throws Boom, Cancelled {
        for (int i = 0; ; i++) {
            List<String> each = new ArrayList<>();
            try {
                run(step.block(), each, undos);
                if (i == step.failures()) {
                    seen.add("retried " + each);
                    return;
                }
            } catch (Boom e) {
                if (i == step.failures()) {
                    throw e;
                }
            }
        }
    }

    /** Returns whether the message of that number is an update; the others are signals. */
    static boolean isUpdate(int word) {
        return word % 3 == 1;
    }

    static String word(int number) {
        return "word" + number;
    }

    static String told(int number) {
        return "told " + word(number);
    }
}
