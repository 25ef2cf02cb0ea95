package dev.durable.samples.fileimport;

import dev.durable.Run;
import dev.durable.Workflow;

/** Imports one file. */
@Workflow
public class ImportWorkflow {
    private final Importer importer;

    public ImportWorkflow(Importer importer) {
        this.importer = importer;
    }

    @Run
    public long run(String file, int checkpointEvery) {
        return importer.load(file, checkpointEvery);
    }
}
