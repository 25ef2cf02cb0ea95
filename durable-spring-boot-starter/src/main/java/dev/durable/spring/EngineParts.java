package dev.durable.spring;

import dev.durable.client.DurableEngine;
import dev.durable.internal.engine.EngineBuilder;
import dev.durable.internal.engine.EngineContents;
import dev.durable.store.HistoryStore;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;

/**
 * The parts of which the engines of an application context are made: properties, workflow classes, activity beans,
 * customizers. A bean, so that a test slice can make an engine of the same parts on another store and on time that the
 * test moves. Thread-safe.
 */
public final class EngineParts {
    private static final Logger log = LoggerFactory.getLogger(DurableLifecycle.class);

    private final DurableProperties properties;
    private final DurableScan scan;
    private final ObjectProvider<DurableCustomizer> customizers;
    private final ObjectProvider<SpringActivityTransactions> transactions;
    private final ListableBeanFactory beans;
    private final boolean virtualThreads;

    EngineParts(
            DurableProperties properties,
            DurableScan scan,
            ObjectProvider<DurableCustomizer> customizers,
            ObjectProvider<SpringActivityTransactions> transactions,
            ListableBeanFactory beans,
            Environment environment) {
        this.properties = properties;
        this.scan = scan;
        this.customizers = customizers;
        this.transactions = transactions;
        this.beans = beans;
        this.virtualThreads = Threading.VIRTUAL.isActive(environment);
    }

    /**
     * An engine on that store, which is made when all beans are there.
     *
     * @param schema where the store has its tables, as people read it
     * @param more changes the builder after all customizers
     * @param onClose called when the engine is closed for ever
     */
    LateEngine engine(HistoryStore store, String schema, DurableCustomizer more, Runnable onClose) {
        return new LateEngine(new Context(store, schema, more, onClose));
    }

    /**
     * Opens the engine that is injected as the first: beans that can belong to one engine only, such as those for
     * meters, are its.
     */
    private void openInjected() {
        if (beans.getBeanProvider(DurableEngine.class).getIfUnique() instanceof LateEngine injected) {
            injected.open();
        }
    }

    /**
     * Adds all of them to the builder. Asks for the activity beans, so only when the application's singletons can be made.
     *
     * @throws SetupException where properties or beans do not fit together
     */
    public void applyTo(DurableEngine.Builder builder) {
        addTo(builder);
    }

    private List<ActivityBeans.Chosen> addTo(DurableEngine.Builder builder) {
        values().apply(builder);
        builder.register(scan.workflows().toArray());
        List<ActivityBeans.Chosen> activities = scan.activities();
        activities.forEach(one -> implement(builder, one));
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        if (builder instanceof EngineBuilder ours) {
            ours.onRegistered(contents -> DetachedBodies.refuse(contents.activities()));
        }
        return activities;
    }

    @SuppressWarnings("unchecked") // the bean is of each of its types
    private static void implement(DurableEngine.Builder builder, ActivityBeans.Chosen one) {
        if (builder instanceof EngineBuilder ours) {
            ours.activities(one.types(), one.bean());
        } else {
            one.types().forEach(type -> builder.activity((Class<Object>) type, one.bean()));
        }
    }

    private EngineFromProperties values() {
        return new EngineFromProperties(
                properties, virtualThreads, properties.build() == null ? BuildName.of(beans) : null);
    }

    /** One engine of the application context: its store, its customizers, and its report when it begins to work. */
    private final class Context implements LateEngine.Surroundings {
        private final HistoryStore store;
        private final String schema;
        private final DurableCustomizer more;
        private final Runnable onClose;
        private volatile @Nullable StartReport report;

        Context(HistoryStore store, String schema, DurableCustomizer more, Runnable onClose) {
            this.store = store;
            this.schema = schema;
            this.more = more;
            this.onClose = onClose;
        }

        @Override
        public EngineBuilder parts() {
            StoreCheck.check(store, beans);
            EngineBuilder builder = new EngineBuilder(store);
            List<ActivityBeans.Chosen> activities = addTo(builder);
            more.customize(builder);
            values().serveDefault(builder);
            return builder.onRegistered(contents -> registered(contents, activities));
        }

        private void registered(EngineContents contents, List<ActivityBeans.Chosen> activities) {
            boolean transactional = contents.activities().stream()
                    .anyMatch(binding -> binding.activity().options().transactional());
            if (transactional) {
                transactions.ifAvailable(SpringActivityTransactions::check);
            }
            report = new StartReport(contents, schema, activities, scan.leftOut(), values().endsDenied());
        }

        @Override
        public boolean startsWithoutDatabase() {
            return properties.startWithoutDatabase();
        }

        @Override
        public void beforeOpening() {
            openInjected();
        }

        @Override
        public void onWork() {
            StartReport known = report;
            if (known != null) {
                log.info("{}", known.text());
                known.warnings().forEach(log::warn);
            }
        }

        @Override
        public void onClose() {
            onClose.run();
        }
    }
}
