package dev.durable.internal.declare.object;

/** The kinds of methods that lambdas and messages can call: run method, signal, query, activity. */
public enum CallKind {
    /** The method that is the workflow. */
    RUN("@Run method", "start(…, w -> w.run(order))"),
    /** A handler that changes the state of a run. */
    SIGNAL("@Signal method", "handle.signal(w -> w.approve(\"ann\"))"),
    /** A method that tells the state of a run. */
    QUERY("@Query method", "handle.query(w -> w.status())"),
    /** Work with side effects. */
    ACTIVITY("activity", "enqueue(Emails.class, e -> e.send(id))");

    private final String noun;
    private final String example;

    CallKind(String noun, String example) {
        this.noun = noun;
        this.example = example;
    }

    /** Returns the kind with its article: {@code a @Run method}. */
    public String noun() {
        return (this == ACTIVITY ? "an " : "a ") + noun;
    }

    /** Returns an example of a call of this kind. */
    public String example() {
        return example;
    }
}
