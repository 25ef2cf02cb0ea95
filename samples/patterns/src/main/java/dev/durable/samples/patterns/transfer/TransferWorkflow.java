package dev.durable.samples.patterns.transfer;

import dev.durable.Durable;
import dev.durable.Run;
import dev.durable.Workflow;
import java.math.BigDecimal;

// docs: pattern-transfer
/** Moves money from one account to another. The workflow id is the id of the transfer. */
@Workflow
public class TransferWorkflow {
    private final Accounts accounts;

    TransferWorkflow(Accounts accounts) {
        this.accounts = accounts;
    }

    @Run
    public String run(String from, String to, BigDecimal amount) throws Refused {
        String transfer = Durable.info().workflowId();
        accounts.withdraw(transfer + "-out", from, amount); // the same key at each attempt
        try {
            accounts.deposit(transfer + "-in", to, amount);
            return "moved";
        } catch (Refused refused) { // decided, unlike a failure of the network, which is retried without limit
            accounts.deposit(transfer + "-back", from, amount);
            return "returned: " + refused.getMessage();
        }
    }
}
// docs: end
