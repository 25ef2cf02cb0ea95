package dev.durable.internal.client;

import dev.durable.WorkflowNotFoundException;
import dev.durable.client.WorkflowStatus;
import dev.durable.client.WorkflowTree;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.store.RunDetails;
import dev.durable.store.RunFilter;
import dev.durable.store.RunRecord;
import dev.durable.store.Views;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Implements {@link WorkflowTree} by listings of the runs below a chain. */
final class RunTree implements WorkflowTree {
    private static final int PAGE = 500;

    private final Dispatch dispatch;
    private final Function<Views, RunRecord> top;
    private final Function<RunRecord, RunHandle<?, ?>> handles;

    /**
     * @param top finds the run at the top
     * @param handles makes the handle of the chain of a run
     */
    RunTree(Dispatch dispatch, Function<Views, RunRecord> top, Function<RunRecord, RunHandle<?, ?>> handles) {
        this.dispatch = dispatch;
        this.top = top;
        this.handles = handles;
    }

    @Override
    public Map<String, Long> openRuns() {
        return open(dispatch.begun().store().views()).stream()
                .collect(Collectors.groupingBy(RunRecord::type, TreeMap::new, Collectors.counting()));
    }

    @Override
    public long cancel(String reason) {
        return each(run -> handles.apply(run).cancel(reason));
    }

    @Override
    public long terminate(String reason) {
        return each(run -> handles.apply(run).terminate(reason));
    }

    /** Calls the verb for each open chain once, again for those that are new, and returns for how many it was heard. */
    private long each(Consumer<RunRecord> verb) {
        Set<UUID> met = new HashSet<>();
        long heard = 0;
        while (true) {
            List<RunRecord> fresh = open(dispatch.begun().store().views()).stream()
                    .filter(run -> met.add(run.links().chainId()))
                    .toList();
            if (fresh.isEmpty()) {
                return heard;
            }
            heard += fresh.stream().filter(run -> isHeard(verb, run)).count();
        }
    }

    private static boolean isHeard(Consumer<RunRecord> verb, RunRecord run) {
        try {
            verb.accept(run);
            return true;
        } catch (WorkflowNotFoundException e) {
            return false; // it has ended meanwhile
        }
    }

    /** Returns the open runs, parents before their children. */
    private List<RunRecord> open(Views views) {
        RunRecord root = top.apply(views);
        List<RunRecord> open = new ArrayList<>();
        if (!root.status().closed()) {
            open.add(root);
        }
        boolean isPart =
                views.details(root.run().runId()).map(RunDetails::parent).isPresent();
        if (isPart) {
            below(views, root.links().chainId(), open);
        } else {
            RunFilter ofTree = RunFilter.ALL
                    .newestFirst(false)
                    .root(root.links().chainId())
                    .statuses(Set.of(WorkflowStatus.RUNNING));
            open.addAll(all(views, ofTree));
        }
        return open;
    }

    /** Adds the open runs below a chain that is itself a child; closed ones may have open children. */
    private static void below(Views views, UUID chain, List<RunRecord> open) {
        Deque<UUID> parents = new ArrayDeque<>(List.of(chain));
        Set<UUID> met = new HashSet<>(parents);
        while (!parents.isEmpty()) {
            for (RunRecord child : all(views, RunFilter.ALL.newestFirst(false).parent(parents.remove()))) {
                if (!child.status().closed()) {
                    open.add(child);
                }
                if (met.add(child.links().chainId())) {
                    parents.add(child.links().chainId());
                }
            }
        }
    }

    private static List<RunRecord> all(Views views, RunFilter filter) {
        List<RunRecord> all = new ArrayList<>();
        List<RunRecord> page = views.runs(filter, PAGE);
        while (!page.isEmpty()) {
            all.addAll(page);
            page = views.runs(filter.after(page.getLast().run().runId()), PAGE);
        }
        return all;
    }
}
