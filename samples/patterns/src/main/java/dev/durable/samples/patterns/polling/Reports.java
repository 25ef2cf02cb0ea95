package dev.durable.samples.patterns.polling;

import dev.durable.Activity;
import java.util.UUID;

/** Reports that another system makes in jobs of its own. */
@Activity(startToClose = "10s")
public interface Reports {
    /** Begins a job, one for each request however often it is called; returns its id. */
    String begin(UUID request, String report);

    /** Returns the result of a job of seconds or minutes: looks every second. */
    @Activity(startToClose = "10m", heartbeatTimeout = "10s")
    String awaitSoon(String job) throws InterruptedException;

    /** Returns the result of a job of hours or days: looks every ten minutes, for two days. */
    @Activity(scheduleToClose = "2d")
    String awaitLater(String job);

    /** Tells the other system that the job's result is not needed. */
    void abandon(String job);
}
