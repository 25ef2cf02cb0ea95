package dev.durable;

/**
 * Options of {@link Promise#map(java.util.Collection, java.util.function.Consumer, Promise.Then)}: {@code o ->
 * o.atOnce(10).toleratedFailures(3)}. Without any, all items are under way at once, all of them must succeed, and the
 * first failure ends the map.
 */
public interface MapOptionsBuilder {
    /** Sets the greatest number of items that are under way at once, at least 1. Unless set, all are. */
    MapOptionsBuilder atOnce(int items);

    /**
     * Sets the number of successes that are enough, at least 1: with the last of them the map ends, and the items that
     * are under way are cancelled. It ends, too, once so many failed that this number can no longer be reached.
     */
    MapOptionsBuilder minSuccessful(int items);

    /**
     * Sets the number of failures with which the map still succeeds, 0 or more; with one more it ends, and the items
     * that are under way are cancelled. {@code items.size()} lets every item be tried. Unless set, it is 0, or where
     * {@link #minSuccessful} is set, as many as leave that number possible.
     */
    MapOptionsBuilder toleratedFailures(int failures);
}
