package dev.durable.testing.mistakes;

import static dev.durable.testing.mistakes.Mistake.mistake;
import static dev.durable.testing.mistakes.Mistake.registering;

import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import java.io.InputStream;
import java.time.Clock;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;

/** Workflow classes that are refused when they are registered. */
@SuppressWarnings({"unused", "ClassCanBeStatic", "EffectivelyPrivate"}) // that is what is refused
final class RegistrationMistakes {
    private RegistrationMistakes() {}

    static Stream<Mistake> all() {
        return Stream.of(
                registering("a workflow without @Run", NoRun.class),
                registering("two @Run methods", TwoRuns.class),
                registering("a class without @Workflow", Plain.class),
                registering("a workflow as an instance", new Fine()),
                registering("an activity as a class", Work.class),
                registering("an inner class", Inner.class),
                registering("an abstract class", Abstract.class),
                registering("a final class", Final.class),
                registering("a record as a workflow", Recorded.class),
                registering("an interface without its class", Contract.class),
                registering("@Workflow on interface and class", Twice.class),
                registering("two constructors", TwoConstructors.class),
                registering("a Clock in the constructor", Clocked.class),
                registering("a Random in the constructor", Rolled.class),
                registering("a Logger in the constructor", Logged.class),
                registering("an executor in the constructor", Threaded.class),
                registering("the client in the constructor", Calling.class),
                registering("a service in the constructor", Serviced.class),
                registering("an implementation in the constructor", Implemented.class),
                registering("overloaded signals", Overloaded.class),
                registering("a final handler", FinalHandler.class),
                registering("a private @Run", PrivateRun.class),
                registering("a static signal", StaticSignal.class),
                registering("a query that returns nothing", NothingAsked.class),
                registering("signal and query on one method", Both.class),
                registering("a stream as an argument", Streaming.class),
                registering("a lambda as an argument", Lambda.class),
                registering("a generic class with an open type", Open.class),
                registering("a handler of a class that an interface declares", Extra.class),
                registering("a subclass of a workflow", Sub.class),
                mistake(
                        "the same name twice",
                        engine -> engine.register(Fine.class, Other.Fine.class).client()),
                mistake(
                        "null instead of a class",
                        engine -> engine.register((Object) null).client()),
                mistake(
                        "several mistakes at once",
                        engine -> engine.register(NoRun.class, Plain.class, Clocked.class)
                                .client()));
    }

    @Workflow
    static class NoRun {
        public void process(String order) {}
    }

    @Workflow
    static class TwoRuns {
        @Run
        void first() {}

        @Run
        void second() {}
    }

    static class Plain {
        void run() {}
    }

    @Workflow
    static class Fine {
        @Run
        void run() {}
    }

    static class Other {
        @Workflow
        static class Fine {
            @Run
            void run() {}
        }
    }

    @Workflow
    class Inner {
        @Run
        void run() {}
    }

    @Workflow
    abstract static class Abstract {
        @Run
        void run() {}
    }

    @Workflow
    static final class Final {
        @Run
        void run() {}
    }

    @Workflow
    record Recorded(String customer) {
        @Run
        void run() {}
    }

    @Workflow
    interface Contract {
        @Run
        void run();
    }

    @Workflow
    static class Twice implements Contract {
        @Override
        public void run() {}
    }

    @Workflow
    static class TwoConstructors {
        TwoConstructors() {}

        TwoConstructors(Work work) {}

        @Run
        void run() {}
    }

    @Workflow
    static class Clocked {
        Clocked(Clock clock) {}

        @Run
        void run() {}
    }

    @Workflow
    static class Rolled {
        Rolled(Random random) {}

        @Run
        void run() {}
    }

    @Workflow
    static class Logged {
        Logged(Logger log) {}

        @Run
        void run() {}
    }

    @Workflow
    static class Threaded {
        Threaded(ExecutorService threads) {}

        @Run
        void run() {}
    }

    @Workflow
    static class Calling {
        Calling(DurableClient client) {}

        @Run
        void run() {}
    }

    static class Repository {}

    @Workflow
    static class Serviced {
        Serviced(Repository orders) {}

        @Run
        void run() {}
    }

    @Workflow
    static class Implemented {
        Implemented(RealWork work) {}

        @Run
        void run() {}
    }

    @Workflow
    static class Overloaded {
        @Run
        void run() {}

        @Signal
        void approve(String by) {}

        @Signal
        void approve(String by, int level) {}
    }

    @Workflow
    static class FinalHandler {
        @Run
        void run() {}

        @Signal
        final void approve() {}
    }

    @Workflow
    static class PrivateRun {
        @Run
        private void run() {}
    }

    @Workflow
    static class StaticSignal {
        @Run
        void run() {}

        @Signal
        static void approve() {}
    }

    @Workflow
    static class NothingAsked {
        @Run
        void run() {}

        @Query
        void status() {}
    }

    @Workflow
    static class Both {
        @Run
        void run() {}

        @Signal
        @Query
        int approve() {
            return 1;
        }
    }

    @Workflow
    static class Streaming {
        @Run
        void run(InputStream file) {}
    }

    @Workflow
    static class Lambda {
        @Run
        void run(Supplier<String> later) {}
    }

    @Workflow
    static class Open<T> {
        @Run
        T run(T value) {
            return value;
        }
    }

    static class Extra implements Contract {
        @Override
        public void run() {
            Durable.now();
        }

        @Signal
        void approve() {}
    }

    static class Sub extends Fine {}
}
