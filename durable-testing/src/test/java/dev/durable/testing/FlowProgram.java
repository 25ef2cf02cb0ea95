package dev.durable.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A random program of a workflow, whose result does not depend on when things happen: activities with retries, timers,
 * coroutines, children, sagas, cancellations, messages, attempts, and links by continue-as-new. {@link Flow} runs it, and
 * {@link FlowModel} says what comes of it.
 *
 * @param blocks by their numbers; the first is the one that the workflow begins with
 * @param failures how many attempts of the workflow fail at their end
 */
record FlowProgram(List<List<Step>> blocks, int failures) {
    private static final int MAX_DEPTH = 3;

    /** One step; what it names is unique in the program. A block is given by its number. */
    sealed interface Step {
        /** Calls an activity, whose first attempts fail, and whose body takes so many seconds. */
        record Act(String name, int failures, int seconds) implements Step {}

        /** Calls an activity that fails for good. */
        record Fail(String name) implements Step {}

        record Sleep(int minutes) implements Step {}

        /** Waits for a condition that never holds. */
        record TimeOut(int minutes) implements Step {}

        /** Takes the first of two timers. */
        record Race(int first, int second) implements Step {}

        record SideEffect(int value) implements Step {}

        record Promised(int minutes) implements Step {}

        record Together(List<Integer> blocks) implements Step {}

        record MapOver(int items, int atOnce, int block) implements Step {}

        /** Starts a child and waits for it; its first attempts fail. */
        record Child(int block, int failures) implements Step {}

        /** Starts a child, for which {@link Join} waits, in a later link perhaps. */
        record Open(String name, int block) implements Step {}

        record Join(String name, int block) implements Step {}

        /** Starts a child that signals its parent, and waits for the signal, then for the child. */
        record Poked() implements Step {}

        record Saga(int block, String undo, boolean parallel) implements Step {}

        /** Registers an undo of the run. */
        record Undo(String name) implements Step {}

        record Try(int block) implements Step {}

        record Retry(int block, int failures) implements Step {}

        /** Starts a coroutine, or a child, that waits for ever and cleans up when it is cancelled. */
        record Cancelled(String cleanUp, boolean child) implements Step {}

        /** Waits for so many messages more. */
        record Take(int words) implements Step {}

        /** Continues as new with another block; the last of its block. */
        record Link(int block) implements Step {}

        /** Waits for ever, and cleans up when it is cancelled. */
        record Forever(String cleanUp) implements Step {}
    }

    List<Step> block(int number) {
        return blocks.get(number);
    }

    static FlowProgram of(long seed) {
        return new Generator(new Random(seed)).program();
    }

    private static final class Generator {
        private final Random random;
        private final List<List<Step>> blocks = new ArrayList<>();
        /** Children that the link and the one before have opened: what the end of an earlier one has given is kept no longer. */
        private final List<Step.Open> open = new ArrayList<>();

        private final List<Step.Open> openedBefore = new ArrayList<>();
        private int names;

        Generator(Random random) {
            this.random = random;
        }

        /** A program that is run again has one link and takes no messages, as each attempt would take its own. */
        FlowProgram program() {
            blocks.add(List.of());
            int failures = random.nextInt(5) == 0 ? 1 + random.nextInt(2) : 0;
            int links = failures > 0 ? 0 : Math.max(0, random.nextInt(6) - 2);
            int number = 0;
            for (int link = 0; link <= links; link++) {
                List<Step> steps = link(failures == 0, link == links);
                if (link < links) {
                    blocks.add(List.of());
                    steps.add(new Step.Link(blocks.size() - 1));
                }
                blocks.set(number, List.copyOf(steps));
                number = blocks.size() - 1;
            }
            return new FlowProgram(List.copyOf(blocks), failures);
        }

        private List<Step> link(boolean takes, boolean last) {
            open.removeAll(openedBefore);
            openedBefore.clear();
            openedBefore.addAll(open);
            List<Step> steps = new ArrayList<>();
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                steps.add(ofLink(takes, last));
                if (!(steps.getLast() instanceof Step.Undo || steps.getLast() instanceof Step.Open)
                        && random.nextInt(4) > 0) {
                    // Most failures are survived.
                    Step risky = steps.removeLast();
                    steps.add(risky instanceof Step.Take ? risky : new Step.Try(add(List.of(risky))));
                }
            }
            if (last && random.nextInt(5) == 0) {
                steps.add(new Step.Forever(name("end")));
            }
            return steps;
        }

        private Step ofLink(boolean takes, boolean last) {
            return switch (random.nextInt(10)) {
                case 0, 1 -> takes ? new Step.Take(1 + random.nextInt(3)) : simple();
                case 2 -> last ? new Step.Undo(name("undo")) : simple();
                case 3 -> {
                    Step.Open child = new Step.Open(name("open"), add(quiet()));
                    open.add(child);
                    yield child;
                }
                case 4 -> {
                    if (open.isEmpty()) {
                        yield simple();
                    }
                    Step.Open child = open.remove(random.nextInt(open.size()));
                    yield new Step.Join(child.name(), child.block());
                }
                default -> step(0);
            };
        }

        /** The block of a child that may be ended at any time: nothing of it is seen but its result. */
        private List<Step> quiet() {
            List<Step> steps = new ArrayList<>();
            steps.add(new Step.SideEffect(random.nextInt(100)));
            steps.add(new Step.Sleep(random.nextInt(200)));
            if (random.nextInt(4) == 0) {
                steps.add(new Step.Fail(name("boom")));
            }
            return steps;
        }

        private int add(List<Step> block) {
            blocks.add(List.copyOf(block));
            return blocks.size() - 1;
        }

        private int block(int depth) {
            List<Step> steps = new ArrayList<>();
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                steps.add(step(depth));
            }
            return add(steps);
        }

        private int blockOfChild(int depth) {
            List<Step> steps = new ArrayList<>();
            if (random.nextInt(3) == 0) {
                steps.add(new Step.Undo(name("undo")));
            }
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                steps.add(step(depth));
            }
            return add(steps);
        }

        private Step step(int depth) {
            return depth < MAX_DEPTH && random.nextInt(5) < 2 ? nested(depth + 1) : simple();
        }

        private Step nested(int depth) {
            return switch (random.nextInt(8)) {
                case 0 -> new Step.Together(List.of(block(depth), block(depth)));
                case 1 -> new Step.MapOver(1 + random.nextInt(4), 1 + random.nextInt(2), block(depth));
                case 2, 3 -> new Step.Child(blockOfChild(depth), Math.max(0, random.nextInt(5) - 2));
                case 4, 5 -> new Step.Saga(block(depth), name("undo"), random.nextInt(3) == 0);
                case 6 -> new Step.Retry(block(depth), random.nextInt(3));
                default -> new Step.Try(block(depth));
            };
        }

        private Step simple() {
            return switch (random.nextInt(14)) {
                case 0 -> new Step.Fail(name("boom"));
                case 1, 2 -> new Step.Sleep(random.nextInt(100));
                case 3 -> new Step.TimeOut(1 + random.nextInt(30));
                case 4 -> new Step.Race(1 + random.nextInt(10), 11 + random.nextInt(10));
                case 5 -> new Step.SideEffect(random.nextInt(100));
                case 6 -> new Step.Promised(random.nextInt(10));
                case 7 -> new Step.Cancelled(name("clean"), random.nextBoolean());
                case 8 -> new Step.Poked();
                case 9 -> new Step.Act(name("slow"), 0, 1 + random.nextInt(40));
                default -> new Step.Act(name("act"), Math.max(0, random.nextInt(5) - 2), 0);
            };
        }

        private String name(String kind) {
            return kind + ++names;
        }
    }
}
