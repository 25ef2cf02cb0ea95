package dev.durable;

/** Which builds of the code may go on with a run of a workflow ({@link Workflow#versioning}). */
public enum Versioning {
    /** Any build: the turn is made by whichever process claims the run. Code that changes asks {@link Durable#version}. */
    AUTO_UPGRADE,

    /**
     * The build that made the first turn, until the run ends, continues as new, or is moved ({@link
     * dev.durable.client.WorkflowHandle#moveTo}): processes of other builds leave it alone.
     */
    PINNED
}
