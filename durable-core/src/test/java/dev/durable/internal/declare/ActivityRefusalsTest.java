package dev.durable.internal.declare;

import static dev.durable.internal.declare.Refusals.assertRefused;

import dev.durable.Activity;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import org.junit.jupiter.api.Test;

/** Each rule that an activity type or its implementation can break. */
class ActivityRefusalsTest {
    @Activity
    interface Payments {
        void charge(int amount);
    }

    static class Stripe implements Payments {
        @Override
        public void charge(int amount) {}
    }

    @Activity
    static class Annotated implements Payments {
        @Override
        public void charge(int amount) {}
    }

    static class AnnotatedMethod implements Payments {
        @Override
        @Activity(startToClose = "10s")
        public void charge(int amount) {}
    }

    @Test
    void options_on_an_implementation() {
        assertRefused(new Annotated())
                .hasMessageContaining(
                        "$Annotated is annotated @Activity, and so is dev.durable.internal.declare.ActivityRefusalsTest$Payments, which it implements")
                .hasMessageContaining("Keep the annotation with its options on Payments");
        assertRefused(Registry.builder().activity(Payments.class, new AnnotatedMethod()))
                .hasMessageContaining(
                        "$AnnotatedMethod.charge(int) has @Activity options on the implementation, where no workflow sees them")
                .hasMessageContaining("Move them to Payments.charge");
    }

    @Activity
    static class Mailer {
        public void send() {}
    }

    static class TestMailer extends Mailer {
        @Override
        @Activity(local = true)
        public void send() {}
    }

    @Test
    void options_on_a_subclass_of_an_activity_class() {
        assertRefused(new TestMailer())
                .hasMessageContaining("$TestMailer.send() has @Activity options on the implementation")
                .hasMessageContaining("Move them to Mailer.send");
    }

    static class Unannotated {
        public void work() {}
    }

    static class HalfAnnotated {
        @Activity
        public void work() {}
    }

    @Test
    void instances_of_no_activity_type() {
        assertRefused(new Unannotated(), new HalfAnnotated())
                .hasMessageContaining("$Unannotated is registered as an instance and is of no @Activity type")
                .hasMessageContaining("Annotate its class, or an interface that it implements, with @Activity")
                .hasMessageContaining("$HalfAnnotated is registered")
                .hasMessageContaining("Its methods are annotated, the type is not");
    }

    @Test
    void a_proxy_of_no_activity_type_says_what_it_is_a_proxy_of() {
        Object proxy = java.lang.reflect.Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {AutoCloseable.class}, (self, method, args) -> null);

        assertRefused(proxy)
                .hasMessageContaining("A proxy shows only what it was made for")
                .hasMessageContaining("java.lang.AutoCloseable");
    }

    @Test
    void types_that_are_not_annotated() {
        assertRefused(Registry.builder().activity(Runnable.class, () -> {}))
                .hasMessageContaining("java.lang.Runnable is used as an activity type and is not annotated")
                .hasMessageContaining("Annotate it with @Activity");
    }

    @Test
    void activities_registered_as_classes() {
        assertRefused(Payments.class, Stripe.class, Mailer.class)
                .hasMessageContaining("3 declarations are wrong")
                .hasMessageContaining("$Payments is an activity registered as a class")
                .hasMessageContaining("Register an instance of an implementation")
                .hasMessageContaining("Register an instance: register(new Stripe(…))")
                .hasMessageContaining("register(new Mailer(…))");
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    @Test
    void implementations_of_something_else() {
        assertRefused(Registry.builder().activity((Class) Payments.class, new Unannotated()))
                .hasMessageContaining("$Unannotated is registered as the implementation of")
                .hasMessageContaining("Let it implement Payments");
    }

    @Test
    void two_implementations() {
        assertRefused(Registry.builder().register(new Stripe()).activity(Payments.class, amount -> {}))
                .hasMessageContaining(
                        "$Payments has two implementations: dev.durable.internal.declare.ActivityRefusalsTest$Stripe and ")
                .hasMessageContaining("Register one");
    }

    @Activity
    static class Odd {
        public void fine() {}

        public final void finished() {}

        public void send(String to) {}

        public void send(String to, String subject) {}

        @Activity
        void hidden() {}

        @Activity
        public static void global() {}
    }

    @Activity
    interface WithDefault {
        void work();

        @Activity
        default void twice() {}
    }

    @Activity
    interface Empty {
        default void nothing() {}
    }

    @Test
    void methods_that_cannot_be_activities() {
        assertRefused(
                        new Odd(),
                        new WithDefault() {
                            @Override
                            public void work() {}
                        },
                        new Empty() {})
                .hasMessageContaining("6 declarations are wrong")
                .hasMessageContaining("$Odd.finished() is final, so a stub would run it in the workflow")
                .hasMessageContaining("Make it non-final (Kotlin: open)")
                .hasMessageContaining("$Odd.send(String, String) is overloaded: send(String) is activity \"send\" too")
                .hasMessageContaining("@Activity(name = \"send2\")")
                .hasMessageContaining("$Odd.hidden() is annotated @Activity and is not public")
                .hasMessageContaining("$Odd.global() is annotated @Activity and is static")
                .hasMessageContaining("Make it a public instance method")
                .hasMessageContaining(
                        "$WithDefault.twice() is annotated @Activity and is a default method, which runs in the workflow")
                .hasMessageContaining("Make it abstract")
                .hasMessageContaining("$Empty is an @Activity type without activities")
                .hasMessageContaining("Declare an abstract method");
    }

    @Activity
    static final class FinalMailer {
        public void send() {}
    }

    @Test
    void final_classes() {
        assertRefused(new FinalMailer())
                .hasMessageContaining("$FinalMailer is final, so there can be no subclass")
                .hasMessageContaining("annotate an interface that it implements");
    }

    @Activity(
            startToClose = "ten seconds",
            priority = 3,
            headers = {"=x", "tenant=acme"},
            taskQueue = " q",
            retry = @Retry(maxAttempts = -7, backoff = 0.5, jitter = 2, initialInterval = "5x"))
    interface BadOptions {
        @Activity(heartbeatTimeout = "0s", scheduleToClose = "999999d")
        void work();
    }

    @Test
    void bad_values_each_with_what_is_expected() {
        assertRefused(Registry.builder().activity(BadOptions.class, () -> {}))
                .hasMessageContaining("9 declarations are wrong")
                .hasMessageContaining(
                        "$BadOptions has a wrong startToClose. \"ten seconds\" is no duration. Write a whole number and its unit")
                .hasMessageContaining("has a wrong initialInterval. \"5x\" is no duration")
                .hasMessageContaining(
                        "has a wrong taskQueue. It must be a name of 1 to 200 characters, without control characters and without blanks around it, and is \" q\"")
                .hasMessageContaining("has a wrong maxAttempts. It must be a whole number, 0 or more, and is -7")
                .hasMessageContaining("has a wrong backoff. It must be a number, 1 or more, and is 0.5")
                .hasMessageContaining("has a wrong jitter. It must be a number from 0 to 1, and is 2.0")
                .hasMessageContaining("has the header \"=x\", which has no name")
                .hasMessageContaining(
                        "$BadOptions.work() has a wrong heartbeatTimeout. It must be a duration above zero")
                .hasMessageContaining(
                        "$BadOptions.work() has a wrong scheduleToClose. It must be a duration above zero and at most 36500d");
    }

    @Activity(heartbeatTimeout = "2m")
    interface Deaf {
        void unlessTold();

        @Activity(startToClose = "2m")
        void equal();

        @Activity(startToClose = "10m", heartbeatTimeout = "11m")
        void longer();
    }

    @Test
    void a_heartbeat_timeout_above_start_to_close() {
        assertRefused(Registry.builder().activity(Deaf.class, new Deaf() {
                    @Override
                    public void unlessTold() {}

                    @Override
                    public void equal() {}

                    @Override
                    public void longer() {}
                }))
                .hasMessageContaining("2 declarations are wrong")
                .hasMessageContaining(
                        "Deaf.unlessTold has heartbeatTimeout PT2M, which is longer than its startToClose PT1M"
                                + " (PT1M by default): an attempt is over before its missing heartbeat could be noticed. Set"
                                + " startToClose to how long one attempt may take in all, or heartbeatTimeout to how long it may be"
                                + " silent, which is less.")
                .hasMessageContaining(
                        "Deaf.longer has heartbeatTimeout PT11M, which is longer than its startToClose PT10M");
    }

    @Activity(retry = @Retry(maxInterval = "10s"))
    interface Misfit {
        @Activity(retry = @Retry(initialInterval = "1m"))
        void work();
    }

    @Test
    void levels_that_do_not_fit_together() {
        assertRefused(Registry.builder().activity(Misfit.class, () -> {}))
                .hasMessageContaining("Misfit.work has options that do not fit together, all levels merged")
                .hasMessageContaining("maxInterval PT10S must not be below initialInterval PT1M")
                .hasMessageContaining("Set both on the same level");
    }

    static class Elsewhere {
        @Activity
        interface Payments {
            void refund();
        }
    }

    @Activity(name = "Billing", aliases = "Payments")
    interface Renamed {
        void charge();
    }

    @Activity(name = " ", aliases = "")
    interface BadNames {
        @Activity(aliases = " x")
        void work();
    }

    @Test
    void duplicate_and_bad_names() {
        assertRefused(Registry.builder()
                        .register(new Stripe())
                        .activity(Elsewhere.Payments.class, () -> {})
                        .activity(Renamed.class, () -> {})
                        .activity(BadNames.class, () -> {}))
                .hasMessageContaining("5 declarations are wrong")
                .hasMessageContaining(
                        "$Elsewhere$Payments is the activity type \"Payments\", and so is dev.durable.internal.declare.ActivityRefusalsTest$Payments")
                .hasMessageContaining("@Activity(name = \"…\")")
                .hasMessageContaining(
                        "$Renamed.charge() is the activity \"Payments.charge\" by name or alias, and so is")
                .hasMessageContaining("$BadNames is named \" \"")
                .hasMessageContaining("$BadNames is named \"\"")
                .hasMessageContaining("$BadNames.work() is named \" x\"");
    }

    @Workflow
    static class Injecting {
        Injecting(BadOptions bad) {}

        @Run
        public void run() {}
    }

    @Test
    void types_that_are_only_injected_are_checked_too() {
        assertRefused(Injecting.class).hasMessageContaining("$BadOptions has a wrong startToClose");
    }
}
