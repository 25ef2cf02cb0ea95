package dev.durable.testing;

import dev.durable.store.HistoryStore;
import dev.durable.store.JobOrder;
import dev.durable.store.NewRun;
import dev.durable.store.RunReset;
import dev.durable.store.StartOutcome;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A store between whose calls a test does something, for a second client on the store of a test's engine. */
class MeddledStore {
    private final HistoryStore real;
    private final List<String> calls = new ArrayList<>();

    MeddledStore(HistoryStore real) {
        this.real = real;
    }

    /** The names of the calls that went through, in order, of those that read or order jobs. */
    List<String> calls() {
        return calls;
    }

    /** The answers that the caller gets for these orders. */
    List<JobOrder.Outcome> order(List<JobOrder> orders, HistoryStore store) {
        return store.order(orders);
    }

    /** The answers that the caller gets for these starts. */
    List<StartOutcome> start(List<NewRun> runs, HistoryStore store) {
        return store.start(runs);
    }

    /** The answer that the caller gets for this fork. */
    Optional<StartOutcome> fork(NewRun fork, HistoryStore store) {
        return store.fork(fork);
    }

    /** The answer that the caller gets for this reset. */
    RunReset.Outcome reset(RunReset reset, HistoryStore store) {
        return store.reset(reset);
    }

    HistoryStore store() {
        return (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "historyStore", "views" -> proxy;
                    case "close" -> null;
                    case "order" -> {
                        calls.add("order");
                        @SuppressWarnings("unchecked")
                        List<JobOrder> orders = (List<JobOrder>) arguments[0];
                        yield order(orders, real);
                    }
                    case "start" -> {
                        @SuppressWarnings("unchecked")
                        List<NewRun> runs = (List<NewRun>) arguments[0];
                        yield start(runs, real);
                    }
                    case "fork" -> fork((NewRun) arguments[0], real);
                    case "reset" -> reset((RunReset) arguments[0], real);
                    default -> {
                        if (method.getName().matches("jobs|count|buried|latestRun|deliver")) {
                            calls.add(method.getName());
                        }
                        try {
                            yield method.invoke(real, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }
                });
    }
}
