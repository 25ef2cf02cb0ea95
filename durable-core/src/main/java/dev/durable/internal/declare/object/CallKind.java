package dev.durable.internal.declare.object;

import java.util.Locale;

/** The kinds of methods that lambdas and messages can call: run method, signal, query, update, activity. */
public enum CallKind {
    /** The method that is the workflow. */
    RUN("@Run", "@Run method", "start(…, w -> w.run(order))"),
    /** A handler that changes the state of a run. */
    SIGNAL("@Signal", "@Signal method", "handle.signal(w -> w.approve(\"ann\"))"),
    /** A method that tells the state of a run. */
    QUERY("@Query", "@Query method", "handle.query(w -> w.status())"),
    /** A handler that changes the state of a run and answers its caller. */
    UPDATE("@Update", "@Update method", "handle.update(w -> w.changeAddress(next))"),
    ACTIVITY("@Activity", "activity", "enqueue(Emails.class, e -> e.send(id))");

    private final String annotation;
    private final String noun;
    private final String example;

    CallKind(String annotation, String noun, String example) {
        this.annotation = annotation;
        this.noun = noun;
        this.example = example;
    }

    /** The annotation of such methods: {@code @Run}. */
    public String annotation() {
        return annotation;
    }

    /** Returns the kind with its article: {@code a @Run method}. */
    public String noun() {
        return (this == ACTIVITY || this == UPDATE ? "an " : "a ") + noun;
    }

    /** Returns the kind in a word: {@code signal}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns an example of a call of this kind. */
    public String example() {
        return example;
    }
}
