package dev.durable.internal.engine;

import dev.durable.internal.declare.ActivityMethod;
import dev.durable.internal.declare.Declarations;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.store.HistoryStore;
import java.util.List;
import java.util.stream.Stream;

/** Checks before the engine starts that what is registered can be carried by payloads and by the store. */
record StartChecks(PayloadCodec payloads, HistoryStore store) {

    List<String> problems(Declarations declared) {
        return Stream.concat(ofSignatures(declared), ofTransactions(declared)).toList();
    }

    /**
     * Of types that can't be written and read as JSON, but for what is refused already. A result that can't be read back
     * would else be found out when the work is done and its run can't go on.
     */
    private Stream<String> ofSignatures(Declarations declared) {
        return declared.signatures().stream()
                .flatMap(signature -> payloads.problems(signature, Declarations::isRefused).stream())
                .distinct();
    }

    /** Of transactional activities on a store that can't commit them together with what they write. */
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
