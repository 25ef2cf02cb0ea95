package dev.durable.benchmarks.command;

import dev.durable.benchmarks.Database;
import dev.durable.benchmarks.Figures;
import dev.durable.benchmarks.Peer;
import dev.durable.benchmarks.Scenario;
import dev.durable.benchmarks.Settings;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Durable as another checkout has it, such as the commit before a change: its own classes in a class loader of their own,
 * in the same process and on the same server, in turns with the code at hand. So a change of speed of a few percent shows
 * on a machine whose own speed changes more than that within minutes. The code at hand is loaded in the same way then: with
 * the application's own class loader it was 8 % slower than the same code in a class loader like this.
 *
 * <p>What has to be the same in both checkouts is the shape of {@link Scenario#play}, {@link Database} and {@link Figures};
 * a component of {@link Settings} that this checkout does not have stops it.
 */
final class Base implements AutoCloseable {
    private final URLClassLoader loader;

    private Base(URLClassLoader loader) {
        this.loader = loader;
    }

    /** @param checkout where {@code benchmarks/run} has built */
    static Base of(Path checkout) throws IOException, ClassNotFoundException {
        Path built = checkout.resolve("benchmarks/target/quick");
        if (!Files.exists(built.resolve("classpath"))) {
            throw new IllegalArgumentException("There is nothing built in " + built
                    + ". --base is the directory of another checkout, in which benchmarks/run has been called once"
                    + " (benchmarks/run --help will do).");
        }
        List<URL> urls = new ArrayList<>();
        urls.add(built.resolve("classes").toUri().toURL());
        for (String entry : Files.readString(built.resolve("classpath")).strip().split(":", -1)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        // DriverManager looks for drivers once, with the application's class loader; initialised, a driver adds itself.
        Class.forName("org.postgresql.Driver", true, loader);
        return new Base(loader);
    }

    Figures play(String scenario, Database database, Settings settings) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader own = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            Class<?> scenarios = there(Scenario.class);
            Map<?, ?> all = (Map<?, ?>) open(scenarios.getDeclaredMethod("all")).invoke(null);
            Object durable = open(there(Peer.class).getDeclaredMethod("labelled", String.class))
                    .invoke(null, Peer.DURABLE.label());
            Method play = open(scenarios.getDeclaredMethod(
                    "play", there(Peer.class), there(Database.class), there(Settings.class)));
            return figures(play.invoke(all.get(scenario), durable, copy(database), copy(settings)));
        } finally {
            thread.setContextClassLoader(own);
        }
    }

    private Class<?> there(Class<?> here) throws ClassNotFoundException {
        return loader.loadClass(here.getName());
    }

    /** Makes this record in the classes of the other checkout, component by component. */
    private Object copy(Record record) throws ReflectiveOperationException {
        Constructor<?> constructor = there(record.getClass()).getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        Object[] values = new Object[constructor.getParameterCount()];
        var components = there(record.getClass()).getRecordComponents();
        for (int i = 0; i < values.length; i++) {
            Object value = open(record.getClass().getDeclaredMethod(components[i].getName()))
                    .invoke(record);
            values[i] = value instanceof Record inner ? copy(inner) : value;
        }
        return constructor.newInstance(values);
    }

    private static Figures figures(Object there) throws ReflectiveOperationException {
        List<Figures.Figure> figures = new ArrayList<>();
        for (Object figure : (List<?>) get(there, "figures")) {
            figures.add(new Figures.Figure((String) get(figure, "name"), (double) get(figure, "value"), (boolean)
                    get(figure, "lessIsBetter")));
        }
        return new Figures(figures);
    }

    private static Object get(Object record, String component) throws ReflectiveOperationException {
        return open(record.getClass().getDeclaredMethod(component)).invoke(record);
    }

    private static Method open(Method method) {
        method.setAccessible(true);
        return method;
    }

    @Override
    public void close() throws IOException {
        loader.close();
    }
}
