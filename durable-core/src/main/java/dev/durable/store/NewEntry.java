package dev.durable.store;

/**
 * An entry to be appended to a stream; the store gives it its offset.
 *
 * @param stream the name of the stream
 * @param value the value, JSON text
 */
public record NewEntry(String stream, String value) {
    @Override
    public String toString() {
        return "NewEntry[" + stream + ", " + value.length() + " characters]";
    }
}
