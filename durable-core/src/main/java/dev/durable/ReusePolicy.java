package dev.durable;

/** The policies that decide whether a workflow id may be used again after its latest run closed. */
public enum ReusePolicy {
    /** Always. The default. */
    ALLOW_DUPLICATE,
    /** Unless the latest run completed. */
    ALLOW_DUPLICATE_FAILED_ONLY,
    /** Never, as long as a run of this id is retained. */
    REJECT_DUPLICATE
}
