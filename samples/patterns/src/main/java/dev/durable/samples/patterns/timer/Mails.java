package dev.durable.samples.patterns.timer;

import dev.durable.Activity;

/** Sends mails. */
@Activity
public interface Mails {
    void send(String to, String text);
}
