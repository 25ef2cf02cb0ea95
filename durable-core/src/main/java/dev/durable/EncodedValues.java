package dev.durable;

/**
 * The arguments of a message for which the code declares no types: each is read when it is asked for, as the type that
 * the code says. The parameter of handlers of any name, {@code @Signal(any = true) void other(String name, EncodedValues
 * arguments)}, and of a workflow of any type, {@code @Workflow(any = true)}.
 *
 * <p>A value that can't be read as that type, and one that was not sent, is a {@link PayloadException}. The code may
 * catch it; one that leaves {@code @Run} or a handler of signals stalls the run, as arguments do that a typed one can't read.
 */
public interface EncodedValues {
    /** Returns the number of values that were sent. */
    int size();

    /**
     * Reads one value; null where null was sent.
     *
     * @param index its place, from 0
     * @throws PayloadException if it can't be read as that type, or there are not so many values
     */
    <T> T get(int index, Class<T> type);

    /**
     * Reads one value of a generic type, {@code get(0, new TypeRef<List<Receipt>>() {})}; null where null was sent.
     *
     * @param index its place, from 0
     * @throws PayloadException if it can't be read as that type, or there are not so many values
     */
    <T> T get(int index, TypeRef<T> type);
}
