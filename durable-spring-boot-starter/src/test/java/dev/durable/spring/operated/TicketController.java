package dev.durable.spring.operated;

import dev.durable.DurableException;
import dev.durable.ForeignInstallationException;
import dev.durable.IncidentNotFoundException;
import dev.durable.PayloadException;
import dev.durable.QueueFullException;
import dev.durable.RolledBackException;
import dev.durable.StaleAttemptException;
import dev.durable.StoreUnavailableException;
import dev.durable.UsageException;
import dev.durable.WaitTimedOutException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableClient;
import dev.durable.spring.operated.OperatedApplication.TicketWorkflow;
import java.util.Map;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class TicketController {
    private static final Map<String, RuntimeException> FAILURES = Map.of(
            "away", new StoreUnavailableException("the database at jdbc:postgresql://10.0.0.7:5432/shop is away"),
            "rolled-back", new RolledBackException("deadlock in 10.0.0.7", null),
            "foreign", new ForeignInstallationException("schema shop belongs to prod"),
            "full", new QueueFullException("queue mail has 1000 jobs"),
            "stale", new StaleAttemptException("attempt 3 is over"),
            "no-incident", new IncidentNotFoundException("resolved by ann"),
            "slow", new WaitTimedOutException("still open"),
            "old-data", PayloadException.ofStored("com.example.Secret can't be read", null),
            "usage", new UsageException("called where it can't be"),
            "own", new OwnException(new WorkflowNotFoundException("there is no ticket")));

    private final DurableClient client;

    TicketController(DurableClient client) {
        this.client = client;
    }

    @PostMapping("/tickets/{id}")
    UUID start(@PathVariable String id) {
        return client.start(TicketWorkflow.class, id, w -> w.run(id)).runId();
    }

    @PostMapping("/tickets/{id}/let")
    void let(@PathVariable String id) {
        client.handle(TicketWorkflow.class, id).signal(TicketWorkflow::let);
    }

    @PostMapping("/tickets/{id}/size")
    void start(@PathVariable String id, @RequestParam int size) {
        client.start(TicketWorkflow.class, id, w -> w.run("x".repeat(size)));
    }

    @GetMapping("/failures/{name}")
    void fail(@PathVariable String name) {
        throw FAILURES.getOrDefault(name, new DurableException(name));
    }

    /** Of the application, with one of Durable's as its cause. */
    @ResponseStatus(HttpStatus.PAYMENT_REQUIRED)
    static class OwnException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OwnException(Throwable cause) {
            super("own", cause);
        }
    }
}
