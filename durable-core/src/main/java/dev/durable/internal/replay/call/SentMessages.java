package dev.durable.internal.replay.call;

import dev.durable.history.ChainLink;

/** Counts the messages that the code of a chain has sent to workflows, and the children that it has started. */
final class SentMessages {
    private long messages;
    private long children;

    /** Goes on with the counts of the runs before. */
    void goOn(ChainLink link) {
        messages = link.messagesSent();
        children = link.childrenStarted();
    }

    long messages() {
        return messages;
    }

    long children() {
        return children;
    }

    /** Returns the number that the next message gets. */
    long upcoming() {
        return messages + 1;
    }

    /** Gives the next message its number. */
    long next() {
        return ++messages;
    }

    /** Returns the number that the next child gets. */
    long upcomingChild() {
        return children + 1;
    }

    /** Gives the next child its number. */
    long nextChild() {
        return ++children;
    }
}
