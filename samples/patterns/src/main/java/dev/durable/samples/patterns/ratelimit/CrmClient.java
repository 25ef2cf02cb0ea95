package dev.durable.samples.patterns.ratelimit;

import dev.durable.RetryAfterException;
import java.time.Duration;

// docs: pattern-ratelimit-activity
/** Calls the CRM. */
public class CrmClient implements Crm {
    private final Http http;

    CrmClient(Http http) {
        this.http = http;
    }

    @Override
    public void store(String customer, String contact) {
        Http.Answer answer = http.put("/accounts/" + customer + "/contacts/" + contact);
        if (answer.status() == 429) { // other clients use the account, too
            throw new RetryAfterException(Duration.ofSeconds(answer.retryAfter()), new IllegalStateException("429"));
        }
    }
}
// docs: end
