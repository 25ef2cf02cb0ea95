package dev.durable.samples.fileimport;

import dev.durable.Activity;
import dev.durable.Retry;

/** Brings files into the database. */
@Activity(
        startToClose = "6h",
        heartbeatTimeout = "15s",
        // The file is not to blame when its worker dies: no number of crashes makes it a dead letter.
        retry = @Retry(maxWorkerCrashes = Integer.MAX_VALUE))
public interface Importer {

    /** Inserts the file's rows, a checkpoint every so many; gives how many rows the file has. */
    long load(String file, int checkpointEvery);
}
