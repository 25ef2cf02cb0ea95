package dev.durable.samples.fileimport;

/**
 * A place between two lines of a file; what a checkpoint remembers.
 *
 * @param rows lines before it
 * @param bytes where it is, so that those lines need not be read again to find it
 */
record Position(long rows, long bytes) {
    static final Position START = new Position(0, 0);

    Position after(long lineBytes) {
        return new Position(rows + 1, bytes + lineBytes);
    }
}
