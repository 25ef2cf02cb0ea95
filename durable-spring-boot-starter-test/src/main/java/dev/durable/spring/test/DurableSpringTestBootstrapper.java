package dev.durable.spring.test;

import java.util.Arrays;
import java.util.stream.Stream;
import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Tells the context which store the test wants: contexts for different ones are different. */
final class DurableSpringTestBootstrapper extends TestSliceTestContextBootstrapper<DurableSpringTest> {
    static final String STORE = "spring.test.durable.store";

    @Override
    protected String[] getProperties(Class<?> testClass) {
        DurableSpringTest test = TestContextAnnotationUtils.findMergedAnnotation(testClass, DurableSpringTest.class);
        return test == null
                ? new String[0]
                : Stream.concat(Arrays.stream(test.properties()), Stream.of(STORE + "=" + test.store()))
                        .toArray(String[]::new);
    }
}
