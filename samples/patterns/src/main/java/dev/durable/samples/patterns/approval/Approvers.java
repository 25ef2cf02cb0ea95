package dev.durable.samples.patterns.approval;

import dev.durable.Activity;

/** Asks people, by mail perhaps. */
@Activity
public interface Approvers {
    void ask(String approver, String request);
}
