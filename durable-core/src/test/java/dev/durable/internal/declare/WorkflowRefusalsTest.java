package dev.durable.internal.declare;

import static dev.durable.internal.declare.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.durable.Activity;
import dev.durable.EncodedValues;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Update;
import dev.durable.Workflow;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Each rule that a workflow class can break: the text, with class and method, and the way out. */
@SuppressWarnings({"UnusedMethod", "EffectivelyPrivate", "ClassCanBeStatic"}) // that is what is refused
class WorkflowRefusalsTest {
    @Activity
    interface Payments {
        void pay();
    }

    static class StripePayments implements Payments {
        @Override
        public void pay() {}
    }

    @Workflow
    static class WithoutRun {
        public void process(String order) {}
    }

    @Test
    void no_run_method() {
        assertRefused(WithoutRun.class)
                .hasMessageContaining("WorkflowRefusalsTest$WithoutRun has no @Run method")
                .hasMessageContaining("Annotate the method that is the workflow with @Run")
                .hasMessageContaining("process(String)");
    }

    @Workflow
    static class TwoRuns {
        @Run
        public void first() {}

        @Run
        public void second(int n) {}
    }

    @Test
    void two_run_methods() {
        assertRefused(TwoRuns.class)
                .hasMessageContaining("$TwoRuns has 2 @Run methods, first() and second(int)")
                .hasMessageContaining("Keep one");
    }

    @Workflow
    static class TakesAnything {
        @Run
        public void run() {}

        @Signal(any = true)
        public void first(String name, EncodedValues values) {}

        @Signal(any = true)
        public void second(String name, EncodedValues values) {}

        @Query(any = true, name = "state")
        public Object third(String name, EncodedValues values) {
            return "";
        }
    }

    @Test
    void two_handlers_of_any_name_and_one_with_a_name() {
        assertRefused(TakesAnything.class)
                .hasMessageContaining(
                        "$TakesAnything.second(String, EncodedValues) is @Signal(any = true), and so is first(String,"
                                + " EncodedValues); a message that no other handler takes goes to one method. Keep one, and let it"
                                + " tell the names apart.")
                .hasMessageContaining(
                        "$TakesAnything.third(String, EncodedValues) has the name \"state\" and takes any name."
                                + " Keep one: @Query(name = \"state\"), or @Query(any = true).");
    }

    @Workflow
    static class Validates {
        @Run
        public void run() {}

        @Update
        public void move(String to) {}

        @Update.Validator("mvoe")
        public void misspelt(String to) {}

        @Update.Validator("move")
        public void other(int floor) {}

        @Update.Validator("move")
        public void first(String to) {}

        @Update.Validator("move")
        public void second(String to) {}
    }

    @Workflow
    static class ValidatesNothing {
        @Run
        public void run() {}

        @Update.Validator("move")
        public void check(String to) {}
    }

    @Test
    void validators_of_no_update_of_another_signature_and_a_second_one() {
        assertRefused(Validates.class)
                .hasMessageContaining(
                        "$Validates.misspelt(String) is the validator of the update \"mvoe\", and there is no @Update of"
                                + " that name. Name the update that it judges, @Update.Validator(\"…\"): [move].")
                .hasMessageContaining("$Validates.other(int) is the validator of move(String) and has other parameters."
                        + " Give it the parameters of the update: it judges the same arguments.")
                .hasMessageContaining(
                        " is a second validator of the update \"move\". Keep one @Update.Validator for each"
                                + " update.");
        assertRefused(ValidatesNothing.class)
                .hasMessageContaining(
                        "$ValidatesNothing.check(String) is the validator of the update \"move\", and there is no @Update"
                                + " of that name. Annotate the update's handler with @Update.");
    }

    @Workflow(any = true, aliases = "Old")
    static class Everything {
        @Run
        public Object run(String order) {
            return order;
        }
    }

    @Workflow(any = true)
    static class Interpreter {
        @Run
        public Object run(EncodedValues values) {
            return values.size();
        }
    }

    @Workflow(any = true)
    static class OtherInterpreter {
        @Run
        public Promise<String> run(EncodedValues values) {
            throw new AssertionError();
        }
    }

    @Test
    void workflows_of_any_type_with_a_name_with_types_and_two_of_them() {
        assertRefused(Everything.class, Interpreter.class, OtherInterpreter.class)
                .hasMessageContaining(
                        "$Everything is @Workflow(any = true), which takes all types that no other class has, and"
                                + " has a name or alias. Remove name and aliases, or any.")
                .hasMessageContaining(
                        "$Everything.run(String) is the @Run method of @Workflow(any = true) and does not take the"
                                + " values that were sent. Write Object run(EncodedValues arguments).")
                .hasMessageContaining("$OtherInterpreter is @Workflow(any = true), and so is ")
                .hasMessageContaining(
                        "a run of a type that no other class has goes to one class. Register one, and let it tell"
                                + " the types apart.")
                .hasMessageContaining("$OtherInterpreter.run(EncodedValues) has a Promise");
    }

    @Workflow
    static class Typed {
        @Run
        public void run(EncodedValues values) {}

        @Signal(any = true)
        public void first(String name) {}

        @Query(any = true)
        public Promise<String> second(String name, EncodedValues values) {
            throw new AssertionError();
        }

        @Query(any = true)
        public Object third(EncodedValues values, String name) {
            return name;
        }
    }

    @Test
    void values_that_are_read_on_demand_elsewhere_and_handlers_of_any_name_with_other_parameters() {
        assertRefused(Typed.class)
                .hasMessageContaining(
                        "$Typed.run(EncodedValues) has a EncodedValues as parameter values, which can't be stored."
                                + " Declare the types; only a handler of any name takes it, as @Signal(any = true) void other(String"
                                + " name, EncodedValues arguments), and @Run of @Workflow(any = true).")
                .hasMessageContaining(
                        "$Typed.first(String) is @Signal(any = true) and does not take a name and the values that"
                                + " were sent. Write its parameters as (String name, EncodedValues arguments).")
                .hasMessageContaining(
                        "$Typed.third(EncodedValues, String) is @Query(any = true) and does not take a name and"
                                + " the values that were sent. Write its parameters as (String name, EncodedValues arguments).")
                .hasMessageContaining(
                        "$Typed.third(EncodedValues, String) is @Query(any = true), and so is second(String,"
                                + " EncodedValues)");
    }

    static class NoStock extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @Workflow(stallOn = {RuntimeException.class, NoStock.class})
    static class Undecided {
        @Run
        public void run() throws NoStock {}
    }

    @Test
    void an_exception_that_is_an_outcome_and_stalls() {
        assertRefused(Undecided.class)
                .hasMessageContaining(
                        "$Undecided.run() declares NoStock as one of its outcomes, and @Workflow(stallOn) says"
                                + " that it stalls. Take it out of stallOn if it may end the run, or out of the throws clause if it is"
                                + " a mistake of the code.");
    }

    @Workflow
    static class Overloaded {
        @Run
        public void run() {}

        @Signal
        public void approve(String by) {}

        @Signal
        public void approve(String by, int level) {}

        @Query
        public int count() {
            return 0;
        }

        @Query(name = "count")
        public int countOf(String what) {
            return 0;
        }
    }

    @Test
    void overloaded_handlers() {
        assertRefused(Overloaded.class)
                .hasMessageContaining("2 declarations are wrong")
                .hasMessageContaining(
                        "$Overloaded.approve(String, int) is overloaded: approve(String) is the @Signal \"approve\" too")
                .hasMessageContaining("@Signal(name = \"approve2\")")
                .hasMessageContaining("is the @Query \"count\" too")
                .hasMessageContaining("Rename one");
    }

    @Workflow
    static class NamedOverloads {
        @Run
        public void run() {}

        public void run(int notAnnotated) {}

        @Signal
        public void approve(String by) {}

        @Signal(name = "approveAt")
        public void approve(String by, int level) {}

        @Query(name = "approve")
        public int approvals() {
            return 0;
        }
    }

    @Test
    void overloads_with_names_of_their_own_are_fine_and_a_query_may_be_named_like_a_signal() {
        assertThatCode(() -> Registry.builder().register(NamedOverloads.class).build())
                .doesNotThrowAnyException();
    }

    @Workflow
    static class FinalHandlers {
        @Run
        public final void run() {}

        @Query
        public final int count() {
            return 0;
        }
    }

    @Test
    void final_handlers() {
        assertRefused(FinalHandlers.class)
                .hasMessageContaining("$FinalHandlers.run() is a @Run method and final")
                .hasMessageContaining("$FinalHandlers.count() is a @Query method and final")
                .hasMessageContaining("Make it non-final (Kotlin: open), or put @Workflow on an interface");
    }

    @Workflow
    static final class Final {
        @Run
        public void run() {}
    }

    @Workflow
    record ARecord() {
        @Run
        public void run() {}
    }

    @Test
    void final_classes() {
        assertRefused(Final.class, ARecord.class)
                .hasMessageContaining("$Final is final, so there can be no subclass to record calls on")
                .hasMessageContaining("$ARecord is final")
                .hasMessageContaining("annotate an interface that it implements instead of the class");
    }

    @Workflow
    static sealed class Sealed permits Sub {
        @Run
        public void run() {}
    }

    static final class Sub extends Sealed {}

    @Test
    void sealed_classes() {
        assertRefused(Sealed.class).hasMessageContaining("$Sealed is sealed").hasMessageContaining("Remove sealed");
    }

    @Workflow
    abstract static class Abstract {
        @Run
        public void run() {}
    }

    @Workflow
    interface AnInterface {
        @Run
        void run();
    }

    @Test
    void what_no_instance_can_be_made_of() {
        assertRefused(Abstract.class, AnInterface.class)
                .hasMessageContaining("$Abstract is abstract")
                .hasMessageContaining("Register a class that can be made")
                .hasMessageContaining("$AnInterface is a @Workflow interface, which has no code to run")
                .hasMessageContaining("Register the class that implements it");
    }

    @Workflow
    class Inner {
        @Run
        public void run() {}
    }

    @Test
    void inner_classes_and_local_ones_that_need_their_surroundings() {
        @Workflow
        class Local {
            @Run
            public String run() {
                return WorkflowRefusalsTest.this.toString();
            }
        }
        assertRefused(Inner.class, Local.class)
                .hasMessageContaining("$Inner is an inner class, which belongs to an instance of WorkflowRefusalsTest")
                .hasMessageContaining("Local is a local class that needs its surroundings")
                .hasMessageContaining("Make it a static nested or a top-level class");
    }

    @Test
    void local_classes_of_a_static_method_that_use_none_of_its_variables_are_fine() {
        assertThatCode(() -> Registry.builder().register(local()).build()).doesNotThrowAnyException();
    }

    private static Class<?> local() {
        @Workflow
        class Local {
            @Run
            public void run() {}
        }
        return Local.class;
    }

    @Workflow
    static class TwoConstructors {
        TwoConstructors() {}

        TwoConstructors(Payments payments) {}

        @Run
        public void run() {}
    }

    @Test
    void more_than_one_constructor() {
        assertRefused(TwoConstructors.class)
                .hasMessageContaining("$TwoConstructors has 2 constructors")
                .hasMessageContaining("Keep one, whose parameters are the @Activity types");
    }

    @Workflow
    static class Dependent {
        Dependent(Payments fine, StripePayments stripe, Clock clock, String region) {}

        @Run
        public void run() {}
    }

    @Test
    void constructor_parameters_that_are_no_activities() {
        assertRefused(Dependent.class)
                .hasMessageContaining("3 declarations are wrong")
                .hasMessageContaining(
                        "$Dependent has the constructor parameter dev.durable.internal.declare.WorkflowRefusalsTest$StripePayments stripe, which is no @Activity type")
                .hasMessageContaining("Take its @Activity type Payments instead")
                .hasMessageContaining("java.time.Clock clock")
                .hasMessageContaining("Ask Durable.now()")
                .hasMessageContaining("java.lang.String region")
                .hasMessageContaining(
                        "Pass data as an argument of @Run, which is recorded with the start; what an activity"
                                + " needs (an address, a key, a limit), give to the activity's implementation; what never changes,"
                                + " write as a constant")
                .hasMessageNotContaining("Annotate String");
    }

    @Workflow
    static class WithDatabase {
        WithDatabase(DataSource database, int limit) {}

        @Run
        public void run() {}
    }

    @Test
    void a_database_in_a_workflow_belongs_behind_an_activity() {
        assertRefused(WithDatabase.class)
                .hasMessageContaining("javax.sql.DataSource database")
                .hasMessageContaining(
                        "Only activities reach a database: declare an @Activity type with the method that does the"
                                + " work, give the DataSource to its implementation, and take the @Activity type here.")
                .hasMessageContaining("int limit")
                .hasMessageNotContaining("Annotate");
    }

    @Workflow
    static class Later {
        @Run
        public CompletableFuture<String> run() {
            return new CompletableFuture<>();
        }

        @Query
        public Promise<String> asked() {
            throw new IllegalStateException();
        }

        @Signal
        public CompletionStage<Void> told(Promise<String> word) {
            return new CompletableFuture<>();
        }
    }

    @Test
    void a_run_that_returns_a_future() {
        assertRefused(Later.class)
                .hasMessageContaining("$Later.run() has a CompletableFuture")
                .hasMessageContaining(
                        "as result, which can't be stored. Return the value itself: a run may wait for as long as"
                                + " it takes (promise.get(), Durable.await), and callers that do not want to wait use"
                                + " handle.resultAsync().")
                .hasMessageContaining("$Later.asked() has a Promise")
                .hasMessageContaining("Answer from the state as it is")
                .hasMessageContaining("$Later.told(Promise) has a CompletionStage")
                .hasMessageContaining("Return nothing: a signal has no answer")
                .hasMessageContaining(
                        "as parameter word, which can't be stored. Pass the value itself, when it is there.")
                .hasMessageNotContaining("Durable.async");
    }

    @Workflow
    interface Ordering {
        @Run
        CompletableFuture<String> run();
    }

    @Workflow
    static class AlsoAnnotated implements Ordering {
        AlsoAnnotated(Clock clock) {}

        @Override
        public CompletableFuture<String> run() {
            return new CompletableFuture<>();
        }
    }

    @Test
    void what_else_is_wrong_with_a_class_that_is_annotated_twice_is_told_at_once() {
        assertRefused(AlsoAnnotated.class)
                .hasMessageContaining("3 declarations are wrong")
                .hasMessageContaining("is annotated @Workflow, and so is its interface")
                .hasMessageContaining("java.time.Clock clock")
                .hasMessageContaining("$Ordering.run() has a CompletableFuture");
    }

    @Workflow
    static class Hidden {
        @Run
        private void run() {}

        @Signal
        static void approve() {}
    }

    @Test
    void static_and_private_handlers() {
        assertRefused(Hidden.class)
                .hasMessageContaining("2 declarations are wrong")
                .hasMessageContaining("$Hidden.run() is a @Run method and private, so no call can reach it")
                .hasMessageContaining("$Hidden.approve() is a @Signal method and static")
                .hasMessageContaining("Make it an instance method, at least package-private");
    }

    @Workflow
    static class Silent {
        @Run
        public void run() {}

        @Query
        public void ask() {}
    }

    @Test
    void a_query_that_returns_nothing() {
        assertRefused(Silent.class)
                .hasMessageContaining("$Silent.ask() is a @Query method that returns nothing")
                .hasMessageContaining("make it a @Signal");
    }

    @Workflow
    static class Both {
        @Run
        @Signal
        public void run() {}
    }

    @Test
    void several_annotations_on_one_method() {
        assertRefused(Both.class)
                .hasMessageContaining("$Both.run() has several of @Run, @Signal, @Query and @Update")
                .hasMessageContaining("Keep one");
    }

    @Workflow
    static class OnBoth implements AnInterface {
        @Override
        public void run() {}
    }

    static class HandlersOnBoth implements AnInterface {
        @Override
        @Run
        public void run() {}

        @Signal
        public void approve() {}
    }

    @Test
    void annotations_on_interface_and_class() {
        assertRefused(OnBoth.class, HandlersOnBoth.class)
                .hasMessageContaining("4 declarations are wrong")
                .hasMessageContaining("$HandlersOnBoth is the workflow type \"AnInterface\"")
                .hasMessageContaining("$OnBoth is annotated @Workflow, and so is its interface")
                .hasMessageContaining("Keep the annotation on the interface")
                .hasMessageContaining("$HandlersOnBoth.run() has a handler annotation")
                .hasMessageContaining("$HandlersOnBoth.approve() has a handler annotation")
                .hasMessageContaining("Annotate the method of the interface");
    }

    @Workflow
    interface AnotherInterface {
        @Run
        void run();
    }

    static class OfTwo implements AnInterface, AnotherInterface {
        @Override
        public void run() {}
    }

    @Test
    void a_class_of_two_workflows() {
        assertRefused(OfTwo.class)
                .hasMessageContaining("$OfTwo implements several workflows")
                .hasMessageContaining("$AnInterface and ")
                .hasMessageContaining("one class per @Workflow interface");
    }

    static class Plain {}

    static class OfWorkflow extends NamedOverloads {}

    @Test
    void classes_that_are_no_workflow() {
        assertRefused(Plain.class, OfWorkflow.class)
                .hasMessageContaining("$Plain is used as a workflow class and is none")
                .hasMessageContaining("activities are registered as instances")
                .hasMessageContaining("$OfWorkflow is no workflow itself, only its superclass")
                .hasMessageContaining("Annotate it with @Workflow");
    }

    @Test
    void instances_of_workflows() {
        assertRefused(new NamedOverloads())
                .hasMessageContaining("$NamedOverloads is a workflow registered as an instance")
                .hasMessageContaining("register(NamedOverloads.class)");
    }

    @Workflow(name = "Orders", aliases = "OldOrders")
    static class One {
        @Run
        public void run() {}
    }

    @Workflow(name = "OldOrders")
    static class Two {
        @Run
        public void run() {}
    }

    @Workflow(name = " Orders\n", taskQueue = " ")
    static class BadNames {
        @Run
        public void run() {}

        @Signal(name = "a\0b")
        public void approve() {}
    }

    @Test
    void duplicate_and_bad_names() {
        assertRefused(One.class, Two.class, BadNames.class)
                .hasMessageContaining("4 declarations are wrong")
                .hasMessageContaining(
                        "$Two is the workflow type \"OldOrders\" by name or alias, and so is dev.durable.internal.declare.WorkflowRefusalsTest$One")
                .hasMessageContaining("@Workflow(name = \"…\"), or remove the alias")
                .hasMessageContaining("$BadNames is named \" Orders\\u000a\"")
                .hasMessageContaining("$BadNames's task queue is named \" \"")
                .hasMessageContaining("$BadNames.approve() is named \"a\\u0000b\"")
                .hasMessageContaining("no control characters");
    }

    @Test
    void everything_at_once_numbered() {
        assertRefused(WithoutRun.class, Final.class, Plain.class, new Object())
                .hasMessageMatching("(?s)4 declarations are wrong:\n  1\\. .*\n  2\\. .*\n  3\\. .*\n  4\\. .*");
    }

    @Test
    void null_says_who_was_given_it() {
        org.assertj.core.api.Assertions.assertThatNullPointerException()
                .isThrownBy(() -> Registry.builder().register(One.class, null))
                .withMessageContaining("register(…)");
    }
}
