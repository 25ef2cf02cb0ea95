package dev.durable.internal.declare;

import static dev.durable.internal.declare.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityOptions;
import dev.durable.Run;
import dev.durable.Workflow;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigurationTest {
    @Activity
    interface Payments {
        void charge();

        @Activity(name = "giveBack")
        void refund();
    }

    @Activity(name = "acme.Shipping")
    interface Shipping {
        void ship();
    }

    @Workflow
    static class OrderWorkflow {
        OrderWorkflow(Shipping shipping) {}

        @Run
        public void run() {}
    }

    static class Nothing implements Payments {
        @Override
        public void charge() {}

        @Override
        public void refund() {}
    }

    private static Registry.Builder configured(String key, String value) {
        return Registry.builder()
                .register(OrderWorkflow.class)
                .register(new Nothing())
                .configuration(Map.of(key, value));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Payments.start-to-close",
                "Payments.startToClose",
                "payments.start_to_close",
                "Payments.methods.charge.start-to-close",
                "PAYMENTS.methods.CHARGE.STARTTOCLOSE"
            })
    void spelling_is_relaxed(String key) {
        Registry registry = configured("durable.activities." + key, "7s").build();

        assertThat(registry.activity("Payments.charge")
                        .orElseThrow()
                        .activity()
                        .options()
                        .startToClose())
                .isEqualTo(Duration.ofSeconds(7));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Payments.methods.giveBack.priority",
                "Payments.methods.give-back.priority",
                "Payments.methods.refund.priority"
            })
    void a_method_is_known_by_its_activitys_name_and_its_own(String key) {
        Registry registry = configured("durable.activities." + key, "7").build();

        assertThat(registry.activity("Payments.giveBack")
                        .orElseThrow()
                        .activity()
                        .options()
                        .priority())
                .isEqualTo(7);
        assertThat(registry.activity("Payments.charge").orElseThrow().activity().options())
                .isEqualTo(ActivityOptions.DEFAULT);
    }

    @Test
    void types_that_are_only_injected_are_known_and_names_may_have_dots() {
        Registry registry = configured("durable.activities.acme.Shipping.methods.ship.task-queue", "dock")
                .build();

        assertThat(registry.activityType(Shipping.class)
                        .methods()
                        .getFirst()
                        .options()
                        .taskQueue())
                .isEqualTo("dock");
        assertThat(registry.workflowOf(OrderWorkflow.class).dependencies())
                .containsExactly(registry.activityType(Shipping.class));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "durable.activities.Paiments.local|true|names no activity type that is registered or injected here. Did you mean Payments? There are the activity types Payments, acme.Shipping",
                "durable.activities.Warehouse.local|true|There are the activity types Payments, acme.Shipping",
                "durable.activities.Payments|true|names no activity type",
                "durable.activities.Payments.methods.chargee.local|true|names no activity of Payments. Did you mean charge? There are the activities charge, giveBack",
                "durable.activities.Payments.start-to-clse|1s|ends with \"start-to-clse\", which is no option. Did you mean start-to-close?",
                "durable.activities.Payments.max-attempts|1|Did you mean retry.max-attempts? There are the options",
                "durable.activities.Payments.methods.charge|1|names no activity of Payments",
                "durable.activites.Payments.local|true|is none of an activity's. Keys are durable.activities.Payments.start-to-close and",
                "durable.activities.Payments.start-to-close|ten|has a wrong value. \"ten\" is no duration. Write",
                "durable.activities.Payments.local|yes|has a wrong value. It must be true or false, and is \"yes\"",
                "durable.activities.Payments.priority|high|It must be a whole number, and is \"high\"",
                "durable.activities.Payments.retry.backoff|Infinity|It must be a number, 1 or more, and is Infinity",
                "durable.activities.Payments.retry.do-not-retry|com.acme.Gone,|full class names, separated by commas",
            })
    void wrong_keys_and_values_are_refused_with_what_exists_and_what_is_near(String key, String value, String text) {
        assertRefused(configured(key, value))
                .hasMessageContaining("A declaration is wrong")
                .hasMessageContaining("Configuration key " + key)
                .hasMessageContaining(text);
    }

    @Test
    void the_same_option_spelled_twice_is_refused() {
        assertRefused(configured("durable.activities.Payments.start-to-close", "1s")
                        .configuration(Map.of("durable.activities.Payments.startToClose", "2s")))
                .hasMessageContaining("sets what another key sets too, spelled differently")
                .hasMessageContaining("Keep one of them");
    }
}
