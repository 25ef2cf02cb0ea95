package dev.durable.store.postgres.internal.message;

import dev.durable.history.MessageKind;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The lists of kinds of messages that statements have in place of names, from the properties of {@link MessageKind}. */
public final class KindSql {
    private KindSql() {}

    /**
     * Replaces the names of lists by arrays of codes: {@code ${uncounted}}, the kinds that do not count for the limit of an
     * inbox; {@code ${harmless}}, those that refuse no close; {@code ${admitted}}, those that a run takes while it is about
     * to close. A kind that this version does not know is in none of them.
     */
    public static String in(String sql) {
        return sql.replace("${uncounted}", codes(kind -> !kind.countsForLimit()))
                .replace("${harmless}", codes(kind -> !kind.refusesClose()))
                .replace("${admitted}", codes(MessageKind::isLetInWhileClosing));
    }

    /** Returns an array of the codes of known kinds. */
    public static String codes(Predicate<MessageKind> which) {
        return Stream.of(MessageKind.values())
                .filter(kind -> kind != MessageKind.UNKNOWN && which.test(kind))
                .map(kind -> String.valueOf(kind.code()))
                .collect(Collectors.joining(",", "'{", "}'"));
    }
}
