package dev.durable.store.postgres.internal.sql;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Names the place where an error of the server arose: the function of the schema that raised it, and the class of the
 * store that had sent the statement. Only names of Durable's own are taken from the server's message, as the rest may
 * quote values, in the server's language.
 */
final class ErrorPlace {
    /** All functions that the migrations create; a test compares. */
    static final Set<String> FUNCTIONS = Set.of(
            "add_history_partitions",
            "belongs",
            "cancel",
            "clock",
            "events_in",
            "forget_entries",
            "forget_runs",
            "has_history_partition",
            "history_bound",
            "instant_text",
            "is_deep",
            "joined",
            "must",
            "note_operated",
            "note_run",
            "operated_run",
            "pause",
            "purge_audit",
            "readable",
            "refuse_audit_change",
            "refuse_history_change",
            "refuse_open_runs",
            "resend_refused",
            "resume",
            "retry",
            "run_id_at",
            "run_id_time",
            "send_operated",
            "seq_of",
            "set_paused",
            "signal",
            "terminate",
            "this_database",
            "waiting_reasons",
            "why_waiting");

    private static final Pattern WORD = Pattern.compile("\\w+");
    private static final String STORE = "dev.durable.store.postgres.";
    private static final String HERE = ErrorPlace.class.getPackageName() + ".";

    private ErrorPlace() {}

    /** The place in words; empty if nothing is known. */
    static String of(SQLException e) {
        String places =
                Stream.of(function(e), statement(e)).filter(Objects::nonNull).collect(Collectors.joining(", in "));
        return places.isEmpty() ? "" : "; it came of " + places;
    }

    private static @Nullable String function(SQLException e) {
        ServerErrorMessage told = e instanceof PSQLException server ? server.getServerErrorMessage() : null;
        String where = told == null ? null : told.getWhere();
        if (where == null) {
            return null;
        }
        Matcher word = WORD.matcher(where);
        return word.results()
                .map(found -> found.group())
                .filter(FUNCTIONS::contains)
                .findFirst()
                .map(name -> "function " + name)
                .orElse(null);
    }

    private static @Nullable String statement(SQLException e) {
        return Arrays.stream(e.getStackTrace())
                .map(StackTraceElement::getClassName)
                .filter(name -> name.startsWith(STORE) && !name.startsWith(HERE))
                .findFirst()
                .map(name -> "a statement of "
                        + name.substring(name.lastIndexOf('.') + 1).replace('$', '.'))
                .orElse(null);
    }
}
