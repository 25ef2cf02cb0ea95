package dev.durable.samples.patterns.ratelimit;

import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Workflow;
import java.util.List;

// docs: pattern-ratelimit
/** Copies the contacts of a customer to the CRM, as fast as the CRM lets this customer. */
@Workflow
public class SyncWorkflow {
    @Run
    public int run(String customer, List<String> contacts) {
        Crm crm = Durable.activities(Crm.class, o -> o.limitKey(customer)); // all runs of the customer share its limit
        Promise.map(contacts, 50, contact -> {
            crm.store(customer, contact);
            return contact;
        });
        return contacts.size();
    }
}
// docs: end
