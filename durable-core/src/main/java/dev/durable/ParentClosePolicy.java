package dev.durable;

/**
 * What happens to a child that is open when its parent has ended: completed, failed, cancelled, timed out or terminated.
 * A parent that continues as new has not ended. Each has the code that is stored.
 */
public enum ParentClosePolicy {
    /** The child is terminated, and its own children by their policies. The default. */
    TERMINATE(1),
    /** The child is asked to cancel, and may clean up. */
    CANCEL(2),
    /** The child goes on. It is also started where its parent has ended before the start was delivered. */
    ABANDON(3);

    private final int code;

    ParentClosePolicy(int code) {
        this.code = code;
    }

    /** Returns the code under which stores keep it. */
    public int code() {
        return code;
    }

    /** Returns the policy with this code. */
    public static ParentClosePolicy of(int code) {
        for (ParentClosePolicy policy : values()) {
            if (policy.code == code) {
                return policy;
            }
        }
        throw new IllegalArgumentException(
                "a parent-close policy of code " + code + ", which this version does not know");
    }
}
