package dev.durable.spring;

import dev.durable.internal.declare.ActivityBinding;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.MethodMatchers;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * Refuses activities whose call returns while the body still runs on another thread: they would be recorded as completed
 * before they are, and an exception of the body would be lost. {@code @Async} counts wherever Spring looks for it, also
 * where asynchronous calls are not enabled; so does any other advice by which Spring makes a call asynchronous.
 */
final class DetachedBodies {
    private DetachedBodies() {}

    /** @throws SetupException with all that are */
    static void refuse(Collection<ActivityBinding> activities) {
        List<String> detached = activities.stream()
                .flatMap(binding -> detached(binding).stream())
                .sorted()
                .toList();
        if (!detached.isEmpty()) {
            throw new SetupException(
                    detached.stream().collect(Collectors.joining("; ", "", ". "))
                            + "Durable would record the activity as completed at once, and neither retry nor tell what the"
                            + " body throws.",
                    "Take @Async, or the advice that makes the call asynchronous, away: an activity runs on a thread of its own"
                            + " already, and its workflow waits for it without a thread. If something else completes it later,"
                            + " let the body hand out a token: ActivityContext.current().completeLater().");
        }
    }

    private static List<String> detached(ActivityBinding binding) {
        Method declared = binding.activity().spec().method();
        Class<?> target = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(binding.implementation()));
        Method body = AopUtils.getMostSpecificMethod(declared, target);
        String how = isAnnotated(body, target)
                ? "@Async"
                : isAdvised(binding.implementation(), body, target) ? "AsyncExecutionInterceptor" : null;
        return how == null
                ? List.of()
                : List.of("A call of activity " + binding.activity().name() + " returns before its body has ended: "
                        + target.getName() + "." + body.getName() + " is asynchronous (" + how + ")");
    }

    private static boolean isAnnotated(Method body, Class<?> target) {
        return AnnotatedElementUtils.hasAnnotation(body, Async.class)
                || AnnotatedElementUtils.hasAnnotation(target, Async.class);
    }

    /** By an annotation of the application's own, or by a proxy that it makes itself; through all proxies around the bean. */
    private static boolean isAdvised(Object bean, Method body, Class<?> target) {
        Object next = bean;
        while (next instanceof Advised proxy) {
            if (Stream.of(proxy.getAdvisors()).anyMatch(advisor -> detaches(advisor, body, target))) {
                return true;
            }
            next = AopProxyUtils.getSingletonTarget(proxy);
        }
        return false;
    }

    private static boolean detaches(Advisor advisor, Method body, Class<?> target) {
        return advisor.getAdvice() instanceof AsyncExecutionInterceptor
                && (!(advisor instanceof PointcutAdvisor pointed)
                        || pointed.getPointcut().getClassFilter().matches(target)
                                && MethodMatchers.matches(
                                        pointed.getPointcut().getMethodMatcher(), body, target, false));
    }
}
