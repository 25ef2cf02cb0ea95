package dev.durable.spring.test;

import dev.durable.spring.EngineParts;
import dev.durable.testing.TestEngine;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** The engine of the test method that runs, made when it is first asked for. Thread-safe; one test at a time. */
final class CurrentEngine implements AutoCloseable {
    private final Supplier<TestEngine> empty;
    private final ObjectProvider<EngineParts> parts;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable TestEngine current;

    /**
     * @param empty makes an engine with nothing registered, on an empty store
     * @param parts of the application; asked for when its beans can be made
     */
    CurrentEngine(Supplier<TestEngine> empty, ObjectProvider<EngineParts> parts) {
        this.empty = empty;
        this.parts = parts;
    }

    TestEngine get() {
        lock.lock();
        try {
            TestEngine known = current;
            if (known == null) {
                known = made();
                current = known;
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    private TestEngine made() {
        TestEngine engine = empty.get();
        try {
            return engine.configure(builder -> parts.getObject().applyTo(builder));
        } catch (RuntimeException e) {
            engine.close();
            throw e;
        }
    }

    /** Closes it, if there is one: the next test has another. */
    void end() {
        lock.lock();
        try {
            TestEngine known = current;
            current = null;
            if (known != null) {
                known.close();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        end();
    }
}
