package dev.durable.samples.patterns.ratelimit;

import dev.durable.Activity;

/** The API of another company; each of our customers has an account of its own there. */
@Activity(taskQueue = "crm", startToClose = "30s")
public interface Crm {
    /** Stores a contact; storing it again changes nothing. */
    void store(String customer, String contact);
}
