package dev.durable.samples.patterns.batch;

import dev.durable.ChildOptions;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Workflow;

// docs: pattern-batch
/** Works off many items: so many children at once, so many of them in each run of the chain. */
@Workflow
public class BatchWorkflow {
    private int open;
    private int done;
    private int failed;

    /**
     * Says where a run of the chain begins, or how the last one has ended.
     *
     * @param next the first item that no run has begun
     */
    public record Progress(int next, int done, int failed) {}

    /**
     * How much there is to do.
     *
     * @param window children at once, at most 1,000
     */
    public record Size(int items, int window, int itemsOfRun) {}

    @Run
    public Progress run(Size size, Progress before) {
        done = before.done();
        failed = before.failed();
        Durable.children().forEach(child -> watch(child.resultPromise())); // those that the run before has left open
        int end = Math.min(size.items(), before.next() + size.itemsOfRun());
        for (int item = before.next(); item < end; item++) {
            Durable.await(() -> open < size.window());
            int number = item;
            ChildOptions child = ChildOptions.id(Durable.info().workflowId() + "-" + number);
            watch(Durable.startVoidChild(ItemWorkflow.class, child, w -> w.run(number))
                    .resultPromise());
        }
        if (end < size.items()) {
            throw Durable.continueAsNew(BatchWorkflow.class, w -> w.run(size, new Progress(end, done, failed)));
        }
        Durable.await(() -> open == 0);
        return new Progress(end, done, failed);
    }

    private void watch(Promise<?> child) {
        open++;
        child.handle((result, failure) -> {
            open--;
            return failure == null ? ++done : ++failed; // a bad item ends neither the batch nor its neighbours
        });
    }

    @Query
    public Progress progress() {
        return new Progress(done + failed + open, done, failed);
    }
}
// docs: end
