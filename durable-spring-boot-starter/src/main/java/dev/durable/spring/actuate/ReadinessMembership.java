package dev.durable.spring.actuate;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.health.actuate.endpoint.AdditionalHealthEndpointPath;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.health.actuate.endpoint.HttpCodeStatusMapper;
import org.springframework.boot.health.actuate.endpoint.StatusAggregator;
import org.springframework.core.env.Environment;

/**
 * Makes health {@code durable} a member of the group {@code readiness}, where there is one and the application has not
 * set its members itself ({@code management.endpoint.health.group.readiness.include}). No other group is changed, so
 * liveness never depends on the database.
 */
final class ReadinessMembership implements HealthEndpointGroupsPostProcessor {
    private static final String GROUP = "readiness";
    private static final String MEMBER = "durable";

    private final Environment environment;

    ReadinessMembership(Environment environment) {
        this.environment = environment;
    }

    @Override
    public HealthEndpointGroups postProcessHealthEndpointGroups(HealthEndpointGroups groups) {
        HealthEndpointGroup readiness = groups.get(GROUP);
        return readiness == null || isChosen() ? groups : new Groups(groups, new WithDurable(readiness));
    }

    private boolean isChosen() {
        return Binder.get(environment)
                .bind("management.endpoint.health.group.readiness.include", Bindable.setOf(String.class))
                .isBound();
    }

    /** The groups, with this one for readiness. */
    private record Groups(HealthEndpointGroups all, HealthEndpointGroup readiness) implements HealthEndpointGroups {
        @Override
        public HealthEndpointGroup getPrimary() {
            return all.getPrimary();
        }

        @Override
        public Set<String> getNames() {
            return all.getNames();
        }

        @Override
        public @Nullable HealthEndpointGroup get(String name) {
            return name.equals(GROUP) ? readiness : all.get(name);
        }
    }

    /** The group, with one member more. */
    private record WithDurable(HealthEndpointGroup group) implements HealthEndpointGroup {
        @Override
        public boolean isMember(String name) {
            return name.equals(MEMBER) || group.isMember(name);
        }

        @Override
        public boolean showComponents(SecurityContext security) {
            return group.showComponents(security);
        }

        @Override
        public boolean showDetails(SecurityContext security) {
            return group.showDetails(security);
        }

        @Override
        public StatusAggregator getStatusAggregator() {
            return group.getStatusAggregator();
        }

        @Override
        public HttpCodeStatusMapper getHttpCodeStatusMapper() {
            return group.getHttpCodeStatusMapper();
        }

        @Override
        public @Nullable AdditionalHealthEndpointPath getAdditionalPath() {
            return group.getAdditionalPath();
        }
    }
}
