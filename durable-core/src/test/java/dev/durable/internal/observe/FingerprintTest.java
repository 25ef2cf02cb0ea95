package dev.durable.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.history.Failure;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures of one kind and place have one fingerprint, which names the application's own code. */
class FingerprintTest {
    private static final String TOP = "com.acme.Bank.post(Bank.java:12)\n";
    private static final String BODY = "com.acme.StripePayments.charge(StripePayments.java:30)";

    private static String of(String... frames) {
        return Fingerprint.of(
                "Payments.charge",
                new Failure("java.io.IOException", "p-1", String.join("\n", frames), null, null, List.of()));
    }

    @Test
    void it_is_the_activity_the_type_and_the_first_frames_of_the_applications_code() {
        assertThat(of(TOP + BODY, "com.acme.Third.a(Third.java:1)", "com.acme.Fourth.b(Fourth.java:1)"))
                .isEqualTo("Payments.charge: java.io.IOException at com.acme.Bank.post"
                        + " < com.acme.StripePayments.charge < com.acme.Third.a");
    }

    /** As they stand in stacks of Spring Boot, Micrometer, OpenTelemetry, Hibernate, Mockito, Weld, and of the JDK. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "com.acme.StripePayments$$SpringCGLIB$$0.charge(<generated>)",
                "com.acme.StripePayments$$SpringCGLIB$$FastClass$$1.invoke(<generated>)",
                "com.acme.StripePayments$$EnhancerBySpringCGLIB$$7f3a1c02.charge(<generated>)",
                "com.acme.StripePayments$$Lambda/0x00007f1c3c0a8c00.run(Unknown Source)",
                "com.acme.StripePayments$$Lambda$214/0x0000000800d1.run(Unknown Source)",
                "com.acme.StripePayments$MockitoMock$1203.charge(Unknown Source)",
                "com.acme.StripePayments$ByteBuddy$aB3x.charge(Unknown Source)",
                "com.acme.Account$HibernateProxy$x9Zq.pay(Unknown Source)",
                "com.acme.StripePayments$Proxy$_$$_WeldClientProxy.charge(Unknown Source)",
                "com.acme.$Proxy55.charge(Unknown Source)",
                "jdk.proxy2.$Proxy123.charge(Unknown Source)",
                "org.springframework.transaction.interceptor.TransactionInterceptor.invoke(TransactionInterceptor.java:119)",
                "io.micrometer.observation.aop.ObservedAspect.observe(ObservedAspect.java:110)",
                "io.opentelemetry.javaagent.instrumentation.Advice.call(Advice.java:5)",
                "dev.durable.micrometer.DurableTracing.run(DurableTracing.java:287)",
                "dev.durable.micrometer.DurableTracing$1.activity(DurableTracing.java:1)",
                "dev.durable.internal.intercept.Chain$Once.proceed(Chain.java:120)",
                "dev.durable.spring.SpringActivityTransactions.inside(SpringActivityTransactions.java:62)",
                "dev.durable.Durable.sideEffect(Durable.java:1)",
                "kotlinx.coroutines.DispatchedTask.run(DispatchedTask.kt:101)",
            })
    void what_is_around_the_applications_code_is_no_part_of_it(String frame) {
        assertThat(of(TOP + frame + "\n" + BODY)).isEqualTo(of(TOP + BODY)).isEqualTo(of(TOP + BODY + "\n" + frame));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "com.acme.StripePayments.lambda$charge$%d(StripePayments.java:31)",
                "com.acme.StripePayments$%d.call(StripePayments.java:31)",
                "com.acme.StripePayments.access$%d(StripePayments.java:31)",
            })
    void numbers_that_a_compiler_gives_are_no_part_of_it(String frame) {
        assertThat(of(frame.formatted(1))).isEqualTo(of(frame.formatted(14)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dev.durable.samples.orders.Shop.order(Shop.java:1)",
                "com.acme.scala.Bank$$anonfun$1.apply(Bank.scala:4)",
                "com.acme.Proxy1.call(Proxy1.java:1)",
            })
    void what_only_looks_like_it_stays(String frame) {
        assertThat(of(TOP + frame)).isNotEqualTo(of(TOP));
    }

    @Test
    void where_nothing_is_the_applications_own_all_frames_count() {
        assertThat(of("java.net.Socket.connect(Socket.java:1)", "org.postgresql.Driver.connect(Driver.java:2)"))
                .isEqualTo("Payments.charge: java.io.IOException at java.net.Socket.connect"
                        + " < org.postgresql.Driver.connect");
        assertThat(of()).isEqualTo("Payments.charge: java.io.IOException");
    }
}
