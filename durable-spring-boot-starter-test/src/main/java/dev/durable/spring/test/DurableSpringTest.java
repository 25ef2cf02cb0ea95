package dev.durable.spring.test;

import dev.durable.testing.Store;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of workflows with beans of the application: only Durable is configured, and what the test names by {@code @Import},
 * {@code @MockitoBean} or filters. Workflow classes are those in the application's packages, properties {@code durable.*} and
 * {@code DurableCustomizer}s count. Methods may take a {@link dev.durable.testing.TestEngine}, by which they move time. Where
 * JUnit runs tests in parallel, those of slices wait for each other, as they share contexts.
 *
 * <pre>{@code
 * @DurableSpringTest
 * class ApprovalTest {
 *     @MockitoBean Payments payments;
 *     @Autowired DurableClient client;
 *
 *     @Test void anOrderThatNobodyApprovesIsRefunded(TestEngine engine) {
 *         var run = client.start(OrderWorkflow.class, "order-42", w -> w.run(order));
 *         engine.advance(Duration.ofDays(3));
 *         verify(payments).refund(any());
 *     }
 * }
 * }</pre>
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ResourceLock("dev.durable.spring.test.CurrentEngine")
@BootstrapWith(DurableSpringTestBootstrapper.class)
@ExtendWith({SpringExtension.class, DurableSpringExtension.class})
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(DurableSpringTestFilter.class)
@ImportAutoConfiguration
public @interface DurableSpringTest {
    /**
     * Where histories live. {@link Store#POSTGRES} is the application's own {@code DataSource}, whether it comes from
     * properties, a service connection or the embedded server: there each test method has a schema of its own, which is
     * dropped, and starts take part in Spring's transactions. In {@link Store#MEMORY} no DataSource is configured.
     */
    Store store() default Store.MEMORY;

    /** Properties, as {@code key=value}, for the context. */
    String[] properties() default {};

    /** Leaves out components that no filter names. */
    boolean useDefaultFilters() default true;

    /** Which components are scanned, beside what the test imports. */
    Filter[] includeFilters() default {};

    /** Which of them are not. */
    Filter[] excludeFilters() default {};

    /** Auto-configurations that are left out. */
    @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
    Class<?>[] excludeAutoConfiguration() default {};
}
