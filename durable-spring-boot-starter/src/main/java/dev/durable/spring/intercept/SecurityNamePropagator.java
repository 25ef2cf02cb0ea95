package dev.durable.spring.intercept;

import dev.durable.intercept.ContextPropagator;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Carries the name of Spring Security's user, as the header {@code security.name}. What is bound to threads of workflows and
 * activities is authenticated under that name and has no authorities and no credentials: it says for whom the work is done,
 * and gives no right. Anonymous users are not carried.
 */
final class SecurityNamePropagator implements ContextPropagator {
    private static final String NAME = "name";
    private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();

    @Override
    public String name() {
        return "security";
    }

    @Override
    public Map<String, String> capture() {
        Authentication user = SecurityContextHolder.getContext().getAuthentication();
        return user != null && trust.isAuthenticated(user) ? Map.of(NAME, user.getName()) : Map.of();
    }

    @Override
    public Scope restore(Map<String, String> context) {
        SecurityContext before = SecurityContextHolder.getContext();
        String name = context.get(NAME);
        if (name == null) {
            SecurityContextHolder.clearContext();
        } else {
            SecurityContext bound = SecurityContextHolder.createEmptyContext();
            bound.setAuthentication(new Carried(name));
            SecurityContextHolder.setContext(bound);
        }
        return () -> bringBack(before);
    }

    private static void bringBack(SecurityContext before) {
        if (before.getAuthentication() == null) {
            SecurityContextHolder.clearContext();
        } else {
            SecurityContextHolder.setContext(before);
        }
    }

    /** A user of whom nothing but the name is known. */
    private static final class Carried extends AbstractAuthenticationToken {
        private static final long serialVersionUID = 1L;

        private final String name;

        Carried(String name) {
            super(AuthorityUtils.NO_AUTHORITIES);
            this.name = name;
            setAuthenticated(true);
        }

        @Override
        public @Nullable Object getCredentials() {
            return null;
        }

        @Override
        public Object getPrincipal() {
            return name;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Carried carried && carried.name.equals(name);
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }
    }
}
