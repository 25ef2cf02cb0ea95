package dev.durable.samples.patterns.transfer;

import dev.durable.ReusePolicy;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.patterns.Demo;
import java.math.BigDecimal;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A transfer that is ordered twice under one id, by banks whose first answer is always lost. */
public class TransferDemo implements Demo {
    @Override
    public String name() {
        return "transfer";
    }

    @Override
    public List<Class<?>> workflows() {
        return List.of(TransferWorkflow.class);
    }

    @Override
    public List<Object> activities() {
        return List.of(new Simulated());
    }

    @Override
    public WorkflowHandle<?, ?> run(DurableClient client) {
        order(client, "transfer-4711");
        return order(client, "transfer-4711");
    }

    // docs: pattern-transfer-order
    /** May be called again with the same id: after a timeout, by an impatient customer, by a message that came twice. */
    static WorkflowHandle<?, ?> order(DurableClient client, String id) {
        StartOptions once = StartOptions.id(id).reusePolicy(ReusePolicy.REJECT_DUPLICATE);
        try {
            return client.start(TransferWorkflow.class, once, w -> w.run("ann", "bob", new BigDecimal("25.00")));
        } catch (WorkflowAlreadyStartedException e) {
            return client.handle(TransferWorkflow.class, id);
        }
    }
    // docs: end

    /** Books once, and loses the answer of what it books. */
    static class Simulated implements Accounts {
        private final Set<String> keys = ConcurrentHashMap.newKeySet();

        @Override
        public void withdraw(String key, String account, BigDecimal amount) {
            book(key);
        }

        @Override
        public void deposit(String key, String account, BigDecimal amount) {
            book(key);
        }

        private void book(String key) {
            if (keys.add(key)) {
                throw new IllegalStateException("the answer was lost");
            }
        }
    }
}
