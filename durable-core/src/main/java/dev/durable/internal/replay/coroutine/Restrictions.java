package dev.durable.internal.replay.coroutine;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tracks which {@link Restriction} is in force for a run. One for the run suffices: no coroutine can lose the baton
 * while one is in force.
 */
public final class Restrictions {
    private @Nullable Restriction current;

    /** Refuses the call where a restriction is in force. */
    public void check(String call) {
        if (current != null) {
            throw current.refuse(call);
        }
    }

    public boolean isInForce(Restriction restriction) {
        return current == restriction;
    }

    public boolean within(Restriction restriction, BooleanSupplier body) {
        Restriction before = current;
        current = restriction;
        try {
            return body.getAsBoolean();
        } finally {
            current = before;
        }
    }

    public <T extends @Nullable Object> T call(Restriction restriction, CheckedTask<T> body) throws Throwable {
        Restriction before = current;
        current = restriction;
        try {
            return body.run();
        } finally {
            current = before;
        }
    }

    /** Makes the one call that the restriction surrounds, without it. */
    public <T> T without(Supplier<T> body) {
        Restriction before = current;
        current = null;
        try {
            return body.get();
        } finally {
            current = before;
        }
    }
}
