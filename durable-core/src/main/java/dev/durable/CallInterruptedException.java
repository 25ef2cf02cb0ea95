package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * The calling thread was interrupted while a call of the client waited. The thread's interrupt flag is set again. The
 * exception says nothing of the database; a write that the call had sent may still happen, as after any wait that ends
 * early.
 */
public class CallInterruptedException extends DurableException {
    private static final long serialVersionUID = 1L;

    public CallInterruptedException(String message) {
        super(message);
    }

    public CallInterruptedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
