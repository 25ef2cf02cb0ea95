package dev.durable.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/** A test whose methods may take a {@link TestEngine}: a new one each, closed and its histories checked afterwards. */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(DurableExtension.class)
public @interface DurableTest {
    /** Where histories live. */
    Store store() default Store.MEMORY;
}
