package dev.durable.benchmarks;

import dev.durable.client.DurableClient;
import dev.durable.client.WorkflowHandle;
import java.util.ArrayList;
import java.util.List;

/** Many signals to many runs that wait for them, each applied once: the runs give back what they have heard. */
record Signals() implements Scenario.InProcess {
    private static final int SIGNALS = 10_000;
    private static final int EACH = 10;

    @Override
    public Figures measure(Contestant contestant, Database database, Settings settings) throws Exception {
        if (!(contestant instanceof DurableContestant durable)) {
            throw new Contestant.NotOffered();
        }
        int signals = settings.sizeOr(SIGNALS);
        int runs = signals / EACH;
        send(durable.client(), "warm-", runs, settings);
        List<WorkflowHandle<Work.Listener, Long>> listeners = start(durable.client(), "run-", runs, settings);
        Costs unused = Costs.now(database);
        signal(listeners, settings);
        Costs acknowledged = Costs.now(database).since(unused);
        results(listeners);
        Costs used = Costs.now(database).since(unused);
        Scenario.check(contestant, 2L * runs, 0);
        return Figures.of("signals/s", signals / used.seconds())
                .rate("acknowledged/s", signals / acknowledged.seconds())
                .costs("signal", signals, used)
                .build();
    }

    private static void send(DurableClient client, String prefix, int runs, Settings settings) throws Exception {
        List<WorkflowHandle<Work.Listener, Long>> listeners = start(client, prefix, runs, settings);
        signal(listeners, settings);
        results(listeners);
    }

    private static List<WorkflowHandle<Work.Listener, Long>> start(
            DurableClient client, String prefix, int runs, Settings settings) throws Exception {
        InFlight.each(runs, settings.inFlight(), n -> client.start(Work.Listener.class, prefix + n, w -> w.run(EACH)));
        List<WorkflowHandle<Work.Listener, Long>> handles = new ArrayList<>();
        for (int i = 0; i < runs; i++) {
            handles.add(typed(client.handle(Work.Listener.class, prefix + i)));
        }
        return handles;
    }

    @SuppressWarnings("unchecked")
    private static WorkflowHandle<Work.Listener, Long> typed(WorkflowHandle<Work.Listener, ?> handle) {
        return (WorkflowHandle<Work.Listener, Long>) handle;
    }

    /** Round by round, so that the signals of one run come from several threads. */
    private static void signal(List<WorkflowHandle<Work.Listener, Long>> listeners, Settings settings)
            throws Exception {
        int runs = listeners.size();
        InFlight.each(
                (long) runs * EACH,
                settings.inFlight(),
                n -> listeners.get((int) (n % runs)).signal(w -> w.hear((int) (n / runs) + 1)));
    }

    private static void results(List<WorkflowHandle<Work.Listener, Long>> listeners) {
        for (WorkflowHandle<Work.Listener, Long> listener : listeners) {
            Scenario.expect(listener.workflowId(), EACH * (EACH + 1) / 2, listener.resultAs(Long.class));
        }
    }
}
