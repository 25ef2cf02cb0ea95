package dev.durable.store;

/**
 * How much may wait for one run before senders are told that its inbox is full. Outcomes of activities are never refused.
 *
 * @param messages how many messages
 * @param bytes how many bytes their payloads take, as the store keeps them; the message with which they take so many is the
 *     last
 */
public record InboxLimit(int messages, long bytes) {
    /** 10,000 messages, 256 MiB. */
    public static final InboxLimit DEFAULT = new InboxLimit(10_000, 256L << 20);

    public InboxLimit {
        if (messages < 1 || bytes < 1) {
            throw new IllegalArgumentException("an inbox must take at least one message and one byte, not " + messages
                    + " messages and " + bytes + " bytes");
        }
    }
}
