package dev.durable.history;

import dev.durable.ChildCancellationType;
import dev.durable.ParentClosePolicy;
import dev.durable.internal.json.JsonObjectReader;
import dev.durable.internal.json.JsonObjectWriter;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A child that earlier runs of a chain have started, as the next run of the chain knows it: its end was not known when the
 * run before continued as new, or its result had not been read.
 *
 * @param number its number among the children of the chain
 * @param workflowId its workflow id
 * @param runId the id of its first run, which is the id of its chain
 * @param workflowType its type
 * @param parentClosePolicy what happens to it when its parent's chain has ended
 * @param cancellation what a cancellation means for it
 * @param cancelRequested whether it was asked to cancel
 * @param end how it ended, as the history of the run before tells; null while that is not known
 */
public record CarriedChild(
        long number,
        String workflowId,
        UUID runId,
        String workflowType,
        ParentClosePolicy parentClosePolicy,
        ChildCancellationType cancellation,
        boolean cancelRequested,
        HistoryEvent.@Nullable ChildClosed end) {

    static void write(CarriedChild child, JsonObjectWriter out) {
        out.number("number", child.number)
                .string("workflowId", child.workflowId)
                .uuid("runId", child.runId)
                .string("workflowType", child.workflowType)
                .string("parentClosePolicy", child.parentClosePolicy.name())
                .string("cancellation", child.cancellation.name())
                .flag("cancelRequested", child.cancelRequested)
                .object("end", child.end, CarriedChild::writeEnd);
    }

    private static void writeEnd(HistoryEvent.ChildClosed end, JsonObjectWriter out) {
        StoredEvent stored = EventJson.encode(end);
        out.number("id", stored.id())
                .string("type", stored.type())
                .instant("at", stored.at())
                .json("attributes", stored.attributes());
    }

    static List<CarriedChild> readAll(JsonObjectReader in, String name) {
        return in.objects(name).stream().map(CarriedChild::read).toList();
    }

    private static CarriedChild read(JsonObjectReader in) {
        UUID runId = in.uuid("runId");
        String end = in.jsonOrNull("end");
        return new CarriedChild(
                in.number("number"),
                in.string("workflowId"),
                runId,
                in.string("workflowType"),
                ParentClosePolicy.valueOf(in.string("parentClosePolicy")),
                ChildCancellationType.valueOf(in.string("cancellation")),
                in.flag("cancelRequested"),
                end == null ? null : readEnd(runId, JsonObjectReader.of(end)));
    }

    private static HistoryEvent.ChildClosed readEnd(UUID runId, JsonObjectReader in) {
        return (HistoryEvent.ChildClosed) EventJson.decode(
                new StoredEvent(in.number("id"), in.string("type"), in.instant("at"), runId, in.json("attributes")));
    }
}
