package dev.durable.spring;

import dev.durable.RetryIf;
import dev.durable.internal.text.Thrown;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.util.ClassUtils;

/**
 * Ends the retries of what Spring Security refused, as the next attempt has the same rights. Where it could not ask, as the
 * directory or the database of users was away, it has refused nothing.
 */
final class RefusedBySecurity implements RetryIf {
    /** Returns whether the application has Spring Security. */
    static boolean canBe() {
        return ClassUtils.isPresent(
                "org.springframework.security.core.AuthenticationException", RefusedBySecurity.class.getClassLoader());
    }

    @Override
    public boolean retry(Throwable failure, int attempt) {
        return Thrown.of(failure).chain().noneMatch(RefusedBySecurity::isRefusal);
    }

    private static boolean isRefusal(Throwable cause) {
        return cause instanceof AccessDeniedException
                || cause instanceof AuthenticationException && !(cause instanceof AuthenticationServiceException);
    }
}
