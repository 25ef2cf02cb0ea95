package dev.durable.samples.patterns.humantask;

import dev.durable.Activity;

/** The application in which people find their tasks. */
@Activity
public interface TaskList {
    /** Shows a task; the token goes with the form that the person sends. */
    void show(String task, String group, String token);

    void remind(String task, String group);

    void remove(String task);
}
