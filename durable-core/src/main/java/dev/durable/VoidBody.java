package dev.durable;

/** A body that returns nothing. */
@FunctionalInterface
public interface VoidBody {
    /** Runs on the workflow's own coroutine. */
    void run() throws Exception;
}
