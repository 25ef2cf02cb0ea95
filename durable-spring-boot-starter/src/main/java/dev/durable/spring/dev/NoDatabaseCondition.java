package dev.durable.spring.dev;

import dev.durable.store.HistoryStore;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Matches where neither a bean nor a property names a database. Beans that are no default candidates count: one that is
 * marked {@code @DurableDataSource} is a database as well.
 */
final class NoDatabaseCondition extends SpringBootCondition implements ConfigurationCondition {
    private static final List<String> PROPERTIES = List.of(
            "spring.datasource.url",
            "spring.datasource.jndi-name",
            "spring.datasource.hikari.jdbc-url",
            "spring.datasource.hikari.data-source-class-name");
    private static final String DETAILS = "org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails";

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("No database");
        for (String property : PROPERTIES) {
            if (StringUtils.hasText(context.getEnvironment().getProperty(property))) {
                return ConditionOutcome.noMatch(message.because(property + " is set"));
            }
        }
        for (Class<?> type : types(context.getClassLoader())) {
            if (has(context.getBeanFactory(), type)) {
                return ConditionOutcome.noMatch(message.because("there is a bean of " + type.getName()));
            }
        }
        return ConditionOutcome.match(message.because("neither a bean nor a property names one"));
    }

    private static List<Class<?>> types(@Nullable ClassLoader loader) {
        return ClassUtils.isPresent(DETAILS, loader)
                ? List.of(DataSource.class, HistoryStore.class, ClassUtils.resolveClassName(DETAILS, loader))
                : List.of(DataSource.class, HistoryStore.class);
    }

    private static boolean has(@Nullable ConfigurableListableBeanFactory beans, Class<?> type) {
        return beans != null
                && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false).length > 0;
    }
}
