package dev.durable.samples;

import dev.durable.DurableException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.sql.SQLException;
import org.jooq.exception.DataAccessException;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** The texts of a command that can't go on. */
public final class CommandErrors {
    private CommandErrors() {}

    /** Shows the message of an expected failure, which says what to do, and the stack of any other. */
    public static int explain(Exception e, CommandLine command, ParseResult parsed) throws Exception {
        if (e instanceof NoSuchFileException missing) {
            return say("there is no file " + missing.getFile(), command);
        }
        if (e instanceof FileSystemException file) {
            String why = file.getReason() == null ? file.getClass().getSimpleName() : file.getReason();
            return say(
                    file.getFile() + " can't be used (" + why + "). Usually this user may not write there.", command);
        }
        if (e instanceof DurableException || e instanceof IOException) {
            return say(String.valueOf(e.getMessage()), command);
        }
        if (e instanceof DataAccessException && e.getCause() instanceof SQLException refused) {
            return say("the database refused a statement: " + refused.getMessage(), command);
        }
        throw e;
    }

    private static int say(String what, CommandLine command) {
        command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + what);
        return command.getCommandSpec().exitCodeOnExecutionException();
    }
}
