package dev.durable.spring.test;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/** Leaves out the application's components, but for those that the test's filters name. */
final class DurableSpringTestFilter extends StandardAnnotationCustomizableTypeExcludeFilter<DurableSpringTest> {

    DurableSpringTestFilter(Class<?> testClass) {
        super(testClass);
    }
}
