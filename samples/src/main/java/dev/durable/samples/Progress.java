package dev.durable.samples;

import java.io.PrintWriter;

/** Shows how far a command is: a bar on a terminal, a line a second elsewhere. */
public sealed interface Progress extends AutoCloseable permits ProgressBarOnTerminal, ProgressLines {

    /**
     * Begins to show.
     *
     * @param out where lines go
     * @param unit what is counted, such as {@code orders}
     * @param total how many there are
     */
    static Progress on(PrintWriter out, String unit, long total) {
        return onTerminal() ? new ProgressBarOnTerminal(unit, total) : new ProgressLines(out, unit, total);
    }

    // Since Java 22 there is a console without a terminal, too, unless one asks for this one.
    @SuppressWarnings("SystemConsoleNull")
    private static boolean onTerminal() {
        System.setProperty("jdk.console", "java.base");
        return System.console() != null;
    }

    /** So many are done. May be called as often as one likes, by one thread at a time. */
    void show(long done, String note);

    @Override
    void close();
}
