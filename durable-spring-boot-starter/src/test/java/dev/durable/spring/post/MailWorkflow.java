package dev.durable.spring.post;

import dev.durable.Run;
import dev.durable.Workflow;

/** Sends one. */
@Workflow
public class MailWorkflow {
    private final Mail mail;

    public MailWorkflow(Mail mail) {
        this.mail = mail;
    }

    @Run
    public String run() {
        return mail.send();
    }
}
