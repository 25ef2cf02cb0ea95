package dev.durable.testing.mistakes;

import static dev.durable.testing.mistakes.Mistake.mistake;
import static dev.durable.testing.mistakes.Mistake.registering;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Activity types, their options and their implementations, wrong in some way. */
@SuppressWarnings({"unused", "ClassCanBeStatic"})
final class ActivityMistakes {
    private ActivityMistakes() {}

    static Stream<Mistake> all() {
        return Stream.of(
                registering("an instance of no activity type", new Nothing()),
                registering("@Activity on methods only", new OnMethods()),
                registering("options on an implementation", new Optional()),
                registering("@Activity on type and implementation", new Annotated()),
                registering("an activity type without activities", new Empty()),
                registering("a final activity method", new FinalMethod()),
                registering("overloaded activities", new Overloaded()),
                registering("a private @Activity method", new Hidden()),
                registering("a connection as an argument", new Connected()),
                registering("the context as an argument", new Contextual()),
                mistake(
                        "an implementation of something else",
                        engine -> implement(engine, Work.class, new Nothing()).client()),
                mistake(
                        "two implementations",
                        engine ->
                                engine.register(new RealWork(), new RealWork()).client()),
                injecting("a duration without a unit", NoUnit.class),
                injecting("a duration that is none", NoDuration.class),
                injecting("a negative number of attempts", NoAttempts.class),
                injecting("a backoff below one", Shrinking.class),
                injecting("a jitter above one", Jittery.class),
                injecting("a maximum below the first interval", Crossed.class),
                injecting("a header without a name", Header.class),
                injecting("discarding what returns a number", Discarding.class),
                injecting("a local activity that becomes an incident", LocalIncident.class),
                injecting("a type that is not annotated", NotAnnotated.class),
                configuring("a key of something else", "durable.activity.Work.start-to-close", "10s"),
                configuring("a type that nobody has", "durable.activities.Wrok.start-to-close", "10s"),
                configuring("a method that it has not", "durable.activities.Work.methods.rum.start-to-close", "10s"),
                configuring("an option that there is not", "durable.activities.Work.start-to-finish", "10s"),
                configuring("a value that is none", "durable.activities.Work.start-to-close", "ten seconds"));
    }

    /** The type is read because a workflow injects it. */
    private static Mistake injecting(String name, Class<?> workflow) {
        return registering(name, workflow);
    }

    private static Mistake configuring(String name, String key, String value) {
        return mistake(
                "configuration: " + name,
                engine -> engine.register(new RealWork())
                        .configuration(Map.of(key, value))
                        .client());
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static dev.durable.testing.TestEngine implement(
            dev.durable.testing.TestEngine engine, Class type, Object implementation) {
        return engine.activity(type, implementation);
    }

    static class Nothing {
        public void work() {}
    }

    static class OnMethods {
        @Activity
        public void work() {}
    }

    static class Optional extends RealWork {
        @Override
        @Activity(startToClose = "10s")
        public void nothing() {}
    }

    @Activity
    static class Annotated extends RealWork {}

    @Activity
    static class Empty {
        void notPublic() {}
    }

    @Activity
    static class FinalMethod {
        public final void work() {}
    }

    @Activity
    static class Overloaded {
        public void send(String to) {}

        public void send(String to, String subject) {}
    }

    @Activity
    static class Hidden {
        public void work() {}

        @Activity
        void hidden() {}
    }

    @Activity
    static class Connected {
        public void work(Connection connection) {}
    }

    @Activity
    static class Contextual {
        public void work(ActivityContext context) {}
    }

    @Activity(startToClose = "10")
    interface TenOf {
        void work();
    }

    @Workflow
    static class NoUnit {
        NoUnit(TenOf work) {}

        @Run
        void run() {}
    }

    @Activity(startToClose = "soon")
    interface Soon {
        void work();
    }

    @Workflow
    static class NoDuration {
        NoDuration(Soon work) {}

        @Run
        void run() {}
    }

    @Activity(retry = @Retry(maxAttempts = -3))
    interface Minus {
        void work();
    }

    @Workflow
    static class NoAttempts {
        NoAttempts(Minus work) {}

        @Run
        void run() {}
    }

    @Activity(retry = @Retry(backoff = 0.5))
    interface Half {
        void work();
    }

    @Workflow
    static class Shrinking {
        Shrinking(Half work) {}

        @Run
        void run() {}
    }

    @Activity(retry = @Retry(jitter = 2))
    interface Jitter {
        void work();
    }

    @Workflow
    static class Jittery {
        Jittery(Jitter work) {}

        @Run
        void run() {}
    }

    @Activity(retry = @Retry(initialInterval = "1m", maxInterval = "1s"))
    interface Cross {
        void work();
    }

    @Workflow
    static class Crossed {
        Crossed(Cross work) {}

        @Run
        void run() {}
    }

    @Activity(headers = "=acme")
    interface Headed {
        void work();
    }

    @Workflow
    static class Header {
        Header(Headed work) {}

        @Run
        void run() {}
    }

    @Activity(retry = @Retry(onExhausted = OnExhausted.DISCARD))
    interface Discard {
        int work();
    }

    @Workflow
    static class Discarding {
        Discarding(Discard work) {}

        @Run
        void run() {}
    }

    @Activity(local = true, retry = @Retry(onExhausted = OnExhausted.INCIDENT))
    interface Local {
        void work();
    }

    @Workflow
    static class LocalIncident {
        LocalIncident(Local work) {}

        @Run
        void run() {}
    }

    interface Unmarked {
        List<String> work();
    }

    @Workflow
    static class NotAnnotated {
        NotAnnotated(Unmarked work) {
            Durable.now();
        }

        @Run
        void run() {}
    }
}
