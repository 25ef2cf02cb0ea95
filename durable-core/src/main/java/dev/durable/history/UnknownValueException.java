package dev.durable.history;

import dev.durable.internal.text.Bounds;

/** An option has a value that this version of Durable does not know, as of a newer version that wrote it. */
final class UnknownValueException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    UnknownValueException(String option, String value) {
        super("the " + option + " " + Bounds.quoted(value) + ", which this version of Durable does not know");
    }
}
