package dev.durable.internal.client;

import dev.durable.RefusedInputException;
import dev.durable.client.StreamEntries;
import dev.durable.client.StreamEntry;
import dev.durable.client.StreamHandle;
import dev.durable.client.StreamReader;
import dev.durable.history.Payload;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Portion;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import dev.durable.store.StreamPage;
import java.lang.reflect.Type;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Implements {@link StreamHandle}: a stream of the chain of a handle's run. */
final class RunStream<T extends @Nullable Object> implements StreamHandle<T> {
    private final Dispatch dispatch;
    private final ClientCode code;
    private final String name;
    private final Type type;
    private final Function<Dispatch, RunRecord> runs;

    /** @param runs finds the run of the handle, or throws */
    RunStream(Dispatch dispatch, ClientCode code, String name, Type type, Function<Dispatch, RunRecord> runs) {
        this.dispatch = dispatch;
        this.code = code;
        this.name = Bounds.name("handle.stream(…): the stream", name);
        this.type = type;
        this.runs = runs;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public StreamReader<T> from(long offset) {
        mayRead(offset);
        return new EntryReader<>(dispatch, chain(dispatch.begun()), name, this::entry, offset);
    }

    @Override
    public StreamEntries<T> page(long offset, int size) {
        mayRead(offset);
        Bounds.page(size);
        Dispatch call = dispatch.begun();
        StreamPage page = read(call, new StreamPage.Question(chain(call), name, offset, size), Portion.BYTES);
        return new StreamEntries<>(page.entries().stream().map(this::entry).toList(), page.next(), page.isLast());
    }

    private void mayRead(long offset) {
        WorkflowCode.mayNot("handle.stream(…)", "read stream " + name + " again, and may see other entries");
        if (offset < 0) {
            throw new RefusedInputException(
                    "stream " + name + " from offset " + offset
                            + ": offsets begin with 0, and that of the next entry to read is the last one that was read, plus 1");
        }
    }

    private RunKey chain(Dispatch call) {
        RunRecord run = runs.apply(call);
        return new RunKey(run.links().chainId(), run.run().workflowId());
    }

    /** Reads a page as it is. */
    static StreamPage read(Dispatch call, StreamPage.Question question, long bytes) {
        return call.store().streams(List.of(question), bytes).getFirst();
    }

    private StreamEntry<T> entry(StreamPage.Entry entry) {
        StreamPage.Writer writer = entry.writer();
        Object value = code.payloads()
                .decodeFor(
                        new Payload(entry.value()),
                        type,
                        "entry " + entry.offset() + " of stream " + name,
                        () -> "Read the stream as the type by which it is written.");
        return new StreamEntry<>(
                entry.offset(),
                Results.cast(value),
                entry.at(),
                writer == null ? null : new StreamEntry.Attempt(writer.run(), writer.job(), writer.attempt()));
    }
}
