package dev.durable.samples;

import dev.durable.DurableException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** What a command says when it can't go on. */
public final class CommandErrors {
    private CommandErrors() {}

    /** What is expected to go wrong has a message that says what to do; anything else shows its stack. */
    public static int explain(Exception e, CommandLine command, ParseResult parsed) throws Exception {
        if (e instanceof NoSuchFileException missing) {
            return say("there is no file " + missing.getFile(), command);
        }
        if (e instanceof DurableException || e instanceof IOException) {
            return say(String.valueOf(e.getMessage()), command);
        }
        throw e;
    }

    private static int say(String what, CommandLine command) {
        command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + what);
        return command.getCommandSpec().exitCodeOnExecutionException();
    }
}
