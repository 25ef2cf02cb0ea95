package dev.durable;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An exception that reached this process as data only, because no signature names its type: message and stack are the
 * original's.
 */
public final class RemoteException extends DurableException {
    private static final long serialVersionUID = 1L;

    private final String type;
    private final String[] superclasses;

    public RemoteException(String type, @Nullable String message, @Nullable Throwable cause) {
        this(type, List.of(), message, cause);
    }

    public RemoteException(
            String type, List<String> superclasses, @Nullable String message, @Nullable Throwable cause) {
        super(message == null ? type : type + ": " + message, cause);
        this.type = type;
        this.superclasses = superclasses.toArray(String[]::new);
    }

    /** The original's class name. */
    public String type() {
        return type;
    }

    /**
     * The class names of the original's superclasses, the nearest first, without {@code RuntimeException}, {@code
     * Exception}, {@code Error} and what is above them; empty where the original was recorded without them.
     */
    public List<String> superclasses() {
        return List.of(superclasses);
    }
}
