package dev.durable.store;

/**
 * The counts of one pass of the relay over the outbox.
 *
 * @param delivered messages that are in their target's inbox now, or whose target no longer exists
 * @param refused messages that the store refuses, set aside with its reason, for an operator to look at
 * @param aside messages that are in outbox_refused now; some thousands are not counted further
 * @param more whether the pass ended at its limit, in number or in bytes, so that more messages may wait
 */
public record Relayed(int delivered, int refused, long aside, boolean more) {
    public static final Relayed NOTHING = new Relayed(0, 0, 0);

    /** The counts of a pass that has taken all that it could. */
    public Relayed(int delivered, int refused, long aside) {
        this(delivered, refused, aside, false);
    }

    /** The number of messages that have left the outbox. */
    public int gone() {
        return delivered + refused;
    }
}
