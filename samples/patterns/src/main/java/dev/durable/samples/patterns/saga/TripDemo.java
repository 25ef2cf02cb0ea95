package dev.durable.samples.patterns.saga;

import dev.durable.ConflictPolicy;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.Demo;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** A trip for which no car is left: flight and hotel are cancelled. */
public class TripDemo implements Demo {
    @Override
    public String name() {
        return "saga";
    }

    @Override
    public List<Class<?>> workflows() {
        return List.of(TripWorkflow.class);
    }

    @Override
    public List<Object> activities() {
        return List.of(new Simulated());
    }

    @Override
    public WorkflowHandle<?, ?> run(DurableClient client) {
        StartOptions trip = StartOptions.id("trip-to-lisbon").conflictPolicy(ConflictPolicy.USE_EXISTING);
        return client.start(TripWorkflow.class, trip, w -> w.run("ann"));
    }

    /** Books everything but cars. */
    static class Simulated implements Bookings {
        final Map<UUID, String> booked = new ConcurrentHashMap<>();

        @Override
        public String book(UUID booking, String what, String traveller) throws SoldOut {
            if (what.equals("car")) {
                throw new SoldOut(what);
            }
            booked.put(booking, what);
            return what + " of " + traveller;
        }

        @Override
        public void cancel(UUID booking) {
            booked.remove(booking);
        }
    }
}
