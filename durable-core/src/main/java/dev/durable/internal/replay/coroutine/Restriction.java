package dev.durable.internal.replay.coroutine;

import dev.durable.UsageException;

/**
 * The places in which workflow code may not call Durable (conditions, queries, side effects, constructors), with the
 * reason for the error.
 */
public enum Restriction {
    CONDITION(
            "in a condition of Durable.await",
            "Conditions are evaluated any number of times and may only look at state. Do it before or after the await."),
    CONSTRUCTOR(
            "in the workflow's constructor",
            "A constructor only keeps its activities: handlers need the object before anything else happens. Do it in the @Run method."),
    SIDE_EFFECT(
            "in Durable.sideEffect",
            "Its supplier does not run on replay, so nothing in it may be part of the history. Do it before or after."),
    CAPTURE(
            "in the method given to Durable.async(method, arguments…)",
            "That form takes a method of an activity stub, Durable.async(payments::charge, id), and starts no coroutine."
                    + " Write Durable.async(() -> …) for everything else."),
    QUERY(
            "in a query",
            "A query answers from the state as it is and leaves no event. To change state or to wait, send a @Signal, whose"
                    + " handler may do both, and query the outcome; or an @Update, which does both and answers."),
    CONTINUATION(
            "in the lambda of Durable.continueAsNew",
            "It is called when nothing else of the run is under way, and only names the arguments of the next run. Do it"
                    + " before the call, and keep the result in a field or a variable."),
    VALIDATOR(
            "in the validator of an update",
            "A validator only looks at the state and the arguments: what it rejects leaves no event. Do it in the @Update"
                    + " method.");

    private final String where;
    private final String why;

    Restriction(String where, String why) {
        this.where = where;
        this.why = why;
    }

    UsageException refuse(String call) {
        return new UsageException(call + " was called " + where + ". " + why);
    }
}
