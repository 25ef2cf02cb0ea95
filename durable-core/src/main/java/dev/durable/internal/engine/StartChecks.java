package dev.durable.internal.engine;

import dev.durable.internal.declare.ActivityMethod;
import dev.durable.internal.declare.Declarations;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.store.HistoryStore;
import java.util.List;
import java.util.stream.Stream;

/** Checks before the engine starts that payloads and the store support all registered types. */
record StartChecks(PayloadCodec payloads, HistoryStore store) {

    List<String> problems(Declarations declared) {
        return Stream.concat(ofSignatures(declared), ofTransactions(declared)).toList();
    }

    /**
     * Returns the problems of types that can't be written and read as JSON, except those that are refused already.
     * Without this check, a result that can't be read back would be noticed only after the work is done, when its run
     * can't go on.
     */
    private Stream<String> ofSignatures(Declarations declared) {
        return declared.signatures().stream()
                .flatMap(signature -> payloads.problems(signature, Declarations::isRefused).stream())
                .distinct();
    }

    /**
     * Returns the problems of transactional activities on a store that can't commit them together with the writes of
     * their bodies.
     */
    private Stream<String> ofTransactions(Declarations declared) {
        List<String> transactional = declared.implemented().stream()
                .filter(activity -> activity.options().transactional())
                .map(ActivityMethod::name)
                .distinct()
                .sorted()
                .toList();
        return transactional.isEmpty() || store.transactional().isPresent()
                ? Stream.of()
                : Stream.of("Transactional activities " + transactional + ": "
                        + store.getClass().getName()
                        + " has no transactions that an activity could share, so its writes and its completion would be two"
                        + " commits. Use PostgresHistoryStore, or take transactional = true away.");
    }
}
