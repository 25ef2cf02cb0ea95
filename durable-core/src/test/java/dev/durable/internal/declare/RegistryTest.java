package dev.durable.internal.declare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.Query;
import dev.durable.RegistrationException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.history.OptionsJson;
import java.util.List;
import org.junit.jupiter.api.Test;

class RegistryTest {
    @Activity(aliases = "OldPayments")
    interface Payments {
        @Activity(aliases = {"pay", "Legacy.pay"})
        String charge(int amount);
    }

    @Activity
    static class Mailer {
        public void send(String to) {}

        void helper() {}

        @Override
        public String toString() {
            return "mailer";
        }
    }

    @Workflow(aliases = "Orders", taskQueue = "orders")
    static class OrderWorkflow {
        final Payments payments;
        final Mailer mailer;

        @SuppressWarnings("UnusedMethod")
        private OrderWorkflow(Payments payments, Mailer mailer) {
            this.payments = payments;
            this.mailer = mailer;
        }

        @Run
        String run(int amount) {
            return "ran " + amount;
        }

        @Signal(name = "ok")
        protected int approve(String by) {
            return 0;
        }

        @Query
        public String status() {
            return "";
        }
    }

    @Workflow
    interface Refund {
        @Run
        String run(String order);

        @Query
        default String status() {
            return "open";
        }
    }

    private static final class RefundOfToday implements Refund {
        @Override
        public String run(String order) {
            return "refunded " + order;
        }
    }

    private final Mailer mailer = new Mailer();
    private final Registry registry = Registry.builder()
            .register(OrderWorkflow.class, RefundOfToday.class, mailer)
            .activity(Payments.class, amount -> "charged " + amount)
            .build();

    @Test
    void workflows_are_found_by_name_alias_class_and_interface() {
        WorkflowType orders = registry.workflow("OrderWorkflow").orElseThrow();
        assertThat(registry.workflow("Orders")).containsSame(orders);
        assertThat(registry.workflowOf(OrderWorkflow.class)).isSameAs(orders);
        assertThat(orders.taskQueue()).isEqualTo("orders");
        assertThat(orders.methods().signals()).containsOnlyKeys("ok");
        assertThat(orders.methods().queries()).containsOnlyKeys("status");
        assertThat(orders.methods().signals().get("ok").name()).isEqualTo("OrderWorkflow.ok");

        WorkflowType refund = registry.workflow("Refund").orElseThrow();
        assertThat(registry.workflowOf(Refund.class)).isSameAs(refund);
        assertThat(registry.workflowOf(RefundOfToday.class)).isSameAs(refund);
        assertThat(refund.implementation()).isEqualTo(RefundOfToday.class);
        assertThat(refund.taskQueue()).isEqualTo("default");

        assertThat(registry.workflowTypes()).containsExactlyInAnyOrder("OrderWorkflow", "Orders", "Refund");
        assertThat(registry.workflow("Nobody")).isEmpty();
    }

    @Test
    void a_workflow_can_be_made_and_called_whatever_its_visibility() throws Throwable {
        WorkflowType orders = registry.workflowOf(OrderWorkflow.class);
        assertThat(orders.dependencies()).extracting(ActivityType::name).containsExactly("Payments", "Mailer");
        Object[] stubs = orders.dependencies().stream()
                .map(type -> Stubs.create(type, (activity, args) -> activity.name()))
                .toArray();

        OrderWorkflow workflow = (OrderWorkflow) orders.constructor().newInstance(stubs);
        assertThat(orders.methods().run().invoke(workflow, new Object[] {7})).isEqualTo("ran 7");
        assertThat(orders.methods().signals().get("ok").invoke(workflow, new Object[] {"ann"}))
                .isEqualTo(0);
        assertThat(workflow.payments.charge(3)).isEqualTo("Payments.charge");

        WorkflowType refund = registry.workflowOf(Refund.class);
        Object impl = refund.constructor().newInstance();
        assertThat(refund.methods().run().invoke(impl, new Object[] {"o-1"})).isEqualTo("refunded o-1");
        assertThat(refund.methods().queries().get("status").invoke(impl, new Object[0]))
                .isEqualTo("open");
    }

    @Test
    void activities_are_found_by_all_names_that_their_type_and_method_ever_had() throws Throwable {
        assertThat(registry.activityNames())
                .containsExactlyInAnyOrder(
                        "Payments.charge",
                        "Payments.pay",
                        "OldPayments.charge",
                        "OldPayments.pay",
                        "Legacy.pay",
                        "Mailer.send");
        ActivityBinding binding = registry.activity("OldPayments.pay").orElseThrow();
        assertThat(binding.activity().name()).isEqualTo("Payments.charge");
        assertThat(binding.invoke(new Object[] {5})).isEqualTo("charged 5");
        assertThat(registry.activity("Mailer.send").orElseThrow().implementation())
                .isSameAs(mailer);
        assertThat(registry.activity("Mailer.helper")).isEmpty();
        assertThat(registry.activity("Mailer.toString")).isEmpty();
    }

    @Test
    void the_same_thing_registered_twice_is_one() {
        Registry twice = Registry.builder()
                .register(OrderWorkflow.class, OrderWorkflow.class, mailer, mailer)
                .activity(Mailer.class, mailer)
                .build();

        assertThat(twice.workflowTypes()).containsExactlyInAnyOrder("OrderWorkflow", "Orders");
    }

    @Test
    void declared_options_are_the_object_that_histories_give() {
        for (ActivityMethod activity :
                Registry.builder().build().activityType(Payments.class).methods()) {
            assertThat(OptionsJson.decode(OptionsJson.encode(activity.options())))
                    .isSameAs(activity.options());
        }
    }

    @Test
    void a_client_reads_what_is_not_registered_without_its_constructor() {
        Registry client = Registry.builder().build();

        WorkflowType refund = client.workflowOf(Refund.class);
        assertThat(refund.name()).isEqualTo("Refund");
        assertThat(refund.constructor()).isNull();
        assertThat(client.workflowOf(OrderWorkflow.class).name()).isEqualTo("OrderWorkflow");
        assertThat(client.workflowOf(RefundOfToday.class).declared()).isEqualTo(Refund.class);
        assertThat(client.workflowOf(Refund.class)).isSameAs(refund);
        assertThat(client.workflowTypes()).isEmpty();
        assertThat(client.activityType(Payments.class).methods())
                .extracting(ActivityMethod::name)
                .isEqualTo(List.of("Payments.charge"));
    }

    @Test
    void a_client_is_told_what_is_wrong_with_a_class_too() {
        Registry client = Registry.builder().build();

        assertThatThrownBy(() -> client.workflowOf(String.class))
                .isInstanceOf(RegistrationException.class)
                .hasMessageContaining("java.lang.String is used as a workflow class and is none");
        assertThatThrownBy(() -> client.activityType(Runnable.class))
                .isInstanceOf(RegistrationException.class)
                .hasMessageContaining("java.lang.Runnable is used as an activity type and is not annotated");
    }

    static class BaseFlow {
        @Run
        public void run() {}

        @Signal
        public void approve() {}
    }

    interface Pausable {
        @Signal
        void pause();
    }

    @Workflow
    static class Derived extends BaseFlow implements Pausable {
        @Override
        public void run() {}

        @Override
        public void pause() {}
    }

    @Test
    void inherited_methods_and_annotations_of_overridden_ones_count() {
        WorkflowType derived =
                Registry.builder().register(Derived.class).build().workflowOf(Derived.class);

        assertThat(derived.methods().run().method().getDeclaringClass()).isEqualTo(Derived.class);
        assertThat(derived.methods().signals()).containsOnlyKeys("approve", "pause");
    }
}
