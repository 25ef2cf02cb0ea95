package dev.durable.internal.replay.coroutine;

import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The promises, condition and time limit that a coroutine waits for.
 *
 * @param promises the open promises to which it listens
 * @param enough returns whether the wait is over once this promise has settled
 * @param condition the condition that ends the wait, too; null without
 */
public record WaitCondition(
        Collection<? extends DurablePromise<?>> promises,
        Predicate<DurablePromise<?>> enough,
        @Nullable BooleanSupplier condition) {
    private static final int SHOWN = 3;

    public static WaitCondition promise(DurablePromise<?> promise) {
        return new WaitCondition(List.of(promise), settled -> true, null);
    }

    public static WaitCondition either(DurablePromise<?> promise, DurablePromise<?> timer) {
        return new WaitCondition(List.of(promise, timer), settled -> true, null);
    }

    public static WaitCondition condition(BooleanSupplier condition) {
        return new WaitCondition(List.of(), settled -> true, condition);
    }

    public static WaitCondition either(BooleanSupplier condition, DurablePromise<?> timer) {
        return new WaitCondition(List.of(timer), settled -> true, condition);
    }

    /**
     * Returns whether all open promises of the wait are outcomes of activities that were cancelled and whose calls stay
     * open until then: such a wait ends soon, and no cancellation of its coroutine ends it before.
     */
    public boolean isForOutcomes() {
        return condition == null
                && promises.stream().filter(promise -> !promise.isSettled()).allMatch(DurablePromise::outlastsCancel);
    }

    /** Returns the text of the wait for descriptions. */
    public String text() {
        Stream<String> named = promises.stream()
                .filter(promise -> !promise.isSettled())
                .limit(SHOWN)
                .map(DurablePromise::shown);
        String more = promises.size() > SHOWN ? " … (" + promises.size() + " in all)" : "";
        return Stream.concat(condition == null ? Stream.of() : Stream.of("a condition"), named)
                        .collect(Collectors.joining(" or "))
                + more;
    }
}
