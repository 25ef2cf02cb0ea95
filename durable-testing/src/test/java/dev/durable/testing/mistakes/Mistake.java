package dev.durable.testing.mistakes;

import dev.durable.testing.TestEngine;
import java.util.stream.Stream;

/**
 * One mistake of an author: code that throws. A case is added by a line in one of the tables ({@link RegistrationMistakes}
 * and its neighbours); what is said of it stands in {@code mistakes.md}, which {@link MistakesTest} compares and can write.
 *
 * @param name the mistake, as one would tell it to a colleague
 * @param code does it, with an engine in memory; what it throws is looked at
 */
record Mistake(String name, Code code) {

    /** Code that makes a mistake. */
    @FunctionalInterface
    interface Code {
        void run(TestEngine engine) throws Throwable;
    }

    static Mistake mistake(String name, Code code) {
        return new Mistake(name, code);
    }

    /** A wrong declaration: it is registered, and the engine starts. */
    static Mistake registering(String name, Object registered) {
        return new Mistake(name, engine -> engine.register(registered).client());
    }

    /** All tables. */
    static Stream<Mistake> all() {
        return Stream.of(
                        RegistrationMistakes.all(),
                        ActivityMistakes.all(),
                        CallMistakes.all(),
                        WorkflowCodeMistakes.all(),
                        UnsteadyCode.all(),
                        ClientMistakes.all())
                .flatMap(table -> table);
    }

    @Override
    public String toString() {
        return name;
    }
}
