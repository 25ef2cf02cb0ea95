package com.acme;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.Socket;
import java.util.List;
import java.util.Map;

/** Exceptions as applications write them. They stand outside of our packages, whose frames are cut from stacks. */
@SuppressWarnings("serial")
public final class Problems {
    private Problems() {}

    public record Money(BigDecimal amount, String currency) {}

    public static class PaymentProblem extends Exception {
        private final String payment;

        public PaymentProblem(String message, String payment) {
            super(message);
            this.payment = payment;
        }

        public String payment() {
            return payment;
        }
    }

    public static final class CardDeclined extends PaymentProblem {
        private final int code;
        private final Money amount;
        private final Map<String, List<Money>> limits;
        private final String payment;

        public CardDeclined(int code, Money amount, Throwable cause) {
            super("declined", "p-1");
            initCause(cause);
            this.code = code;
            this.amount = amount;
            this.limits = amount == null ? Map.of() : Map.of("daily", List.of(amount));
            this.payment = "hidden";
        }

        public int code() {
            return code;
        }

        public Money amount() {
            return amount;
        }

        public Map<String, List<Money>> limits() {
            return limits;
        }

        public String ownPayment() {
            return payment;
        }
    }

    public abstract static sealed class Rejection extends RuntimeException {
        public static final class TooLate extends Rejection {}
    }

    /** Shows more than it was given. */
    public static final class Coded extends Exception {
        private final String code;

        public Coded(String code, String message) {
            super(message);
            this.code = code;
        }

        @Override
        public String getMessage() {
            return "[" + code + "] " + super.getMessage() + "!";
        }
    }

    public static final class WithSocket extends Exception {
        private final Socket socket = new Socket();
        public final transient Object scratch = new Object();
        private final String host;

        public WithSocket(String host) {
            super("no route");
            this.host = host;
        }

        public String host() {
            return host;
        }

        public Socket socket() {
            return socket;
        }
    }

    public static final class Hostile extends RuntimeException {
        @Override
        public String getMessage() {
            throw new IllegalStateException("no message for you");
        }

        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("no cause for you");
        }
    }

    public static void decline() throws CardDeclined {
        throw new CardDeclined(51, new Money(new BigDecimal("10.00"), "EUR"), new IOException("reset by peer"));
    }

    public static int recurse(int depth) {
        return depth == 0 ? fail() : 1 + recurse(depth - 1);
    }

    private static int fail() {
        throw new IllegalStateException("deep");
    }

    /** Not known to those who read it. */
    public static Throwable initialised() {
        return new Initialised();
    }

    public static boolean touched;

    public static final class Initialised extends RuntimeException {
        static {
            touched = true;
        }
    }
}
