package dev.durable.store.contract;

import dev.durable.DeferException;
import dev.durable.RetryableException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Exceptions whose own methods fail, give null, or have no end. */
@SuppressWarnings({
    "ImmutableEnumChecker", // suppliers keep nothing
    "InfiniteRecursion", // what is tried
    "OverrideThrowableToString",
    "ThrowableEqualsHashCode",
    "UnsynchronizedOverridesSynchronized"
})
public enum Undescribable implements Supplier<RuntimeException> {
    NO_STACK(() -> new Odd() {
        @Override
        public StackTraceElement @Nullable [] getStackTrace() {
            return null;
        }
    }),
    NULL_AS_A_FRAME(() -> new Odd() {
        @Override
        public StackTraceElement[] getStackTrace() {
            return new StackTraceElement[] {null, new StackTraceElement("com.acme.Bank", "pay", "Bank.java", 7), null};
        }
    }),
    MESSAGE_THROWS(() -> new Odd() {
        @Override
        public String getMessage() {
            throw new IllegalStateException("no message today");
        }
    }),
    MESSAGE_LACKS_A_CLASS(() -> new Odd() {
        @Override
        public String getMessage() {
            throw new NoClassDefFoundError("com/acme/Messages");
        }
    }),
    MESSAGE_HAS_NO_END(() -> new Odd() {
        @Override
        public String getMessage() {
            return "again: " + getMessage();
        }
    }),
    CAUSE_THROWS(() -> new Odd() {
        @Override
        public Throwable getCause() {
            throw new UnsupportedOperationException();
        }
    }),
    CAUSE_LACKS_A_CLASS(() -> new Odd() {
        @Override
        public Throwable getCause() {
            throw new NoClassDefFoundError("com/acme/Causes");
        }
    }),
    STACK_THROWS(() -> new Odd() {
        @Override
        public StackTraceElement[] getStackTrace() {
            throw new IllegalStateException();
        }
    }),
    STACK_LACKS_A_CLASS(() -> new Odd() {
        @Override
        public StackTraceElement[] getStackTrace() {
            throw new ExceptionInInitializerError("com.acme.Stacks");
        }
    }),
    TEXT_THROWS(() -> new Odd() {
        @Override
        public String toString() {
            throw new AssertionError("no text");
        }
    }),
    CAUSED_BY_ITSELF(() -> new Odd() {
        @Override
        public Throwable getCause() {
            return this;
        }
    }),
    CAUSED_IN_A_CIRCLE(() -> {
        Odd first = new Odd();
        first.initCause(new Odd().initCause(new Odd().initCause(first)));
        return first;
    }),
    CAUSES_WITHOUT_END(Endless::new),
    OF_AN_ORDINARY_ONE(() -> new IllegalStateException("ordinary", NO_STACK.get())),
    SUPPRESSED_BY_AN_ORDINARY_ONE(() -> {
        IllegalStateException ordinary = new IllegalStateException("ordinary");
        ordinary.addSuppressed(STACK_LACKS_A_CLASS.get());
        return ordinary;
    }),
    EQUAL_TO_NOTHING(() -> new Odd() {
        @Override
        public boolean equals(Object other) {
            throw new AssertionError("not comparable");
        }

        @Override
        public int hashCode() {
            throw new AssertionError("without a hash code");
        }
    }),
    ADVICE_THROWS(() -> new RetryableException("busy") {
        @Override
        public Optional<Duration> nextDelay() {
            throw new NoClassDefFoundError("com/acme/Delays");
        }
    }),
    ADVICE_IS_NULL(() -> new DeferException(Duration.ofMillis(1)) {
        @Override
        public Duration delay() {
            return null;
        }
    });

    private final Supplier<RuntimeException> made;

    Undescribable(Supplier<RuntimeException> made) {
        this.made = made;
    }

    @Override
    public RuntimeException get() {
        return made.get();
    }

    private static class Odd extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final class Endless extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Endless() {
            super("again", null, false, false);
        }

        @Override
        public Throwable getCause() {
            return new Endless();
        }
    }
}
