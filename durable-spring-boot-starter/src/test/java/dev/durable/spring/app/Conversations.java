package dev.durable.spring.app;

import dev.durable.client.DurableClient;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Talks to workflows inside transactions of all kinds. */
public class Conversations {
    private final DurableClient client;
    private final Audit audit;

    Conversations(DurableClient client, Audit audit) {
        this.client = client;
        this.audit = audit;
    }

    @Transactional
    public void say(String workflowId, String word, boolean fail) {
        audit.note(word);
        client.handle(ChatWorkflow.class, workflowId).signal(w -> w.say(word));
        if (fail) {
            throw new IllegalStateException("after the signal");
        }
    }

    /** Stays out of the transaction, which rolls back. */
    @Transactional
    public void sayAnyway(String workflowId, String word) {
        client.independent().handle(ChatWorkflow.class, workflowId).signal(w -> w.say(word));
        throw new IllegalStateException("after the signal");
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void startInItsOwn(String workflowId) {
        client.startVoid(ChatWorkflow.class, workflowId, ChatWorkflow::run);
    }

    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    public void startOutside(String workflowId) {
        client.startVoid(ChatWorkflow.class, workflowId, ChatWorkflow::run);
    }
}
