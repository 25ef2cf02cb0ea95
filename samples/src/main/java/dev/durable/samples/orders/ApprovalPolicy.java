package dev.durable.samples.orders;

import java.time.Duration;

/**
 * When a person has to look at an order. Part of a workflow's input: an order keeps the policy it was started under.
 *
 * @param above orders of a higher total need approval
 * @param timeout how long an order waits for it
 */
public record ApprovalPolicy(Money above, Duration timeout) {

    boolean asksFor(Money total) {
        return total.isMoreThan(above);
    }
}
