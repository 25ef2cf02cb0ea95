package dev.durable.internal.replay.call;

import dev.durable.history.SignalReceived;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The signals that a run was fed and that its code could not use, so that the next attempt is given them where the run
 * fails and another attempt follows: those of a first turn that has failed, and those that came when {@code run} was
 * over. A signal whose handler has failed the run is used. A compensation, or detached clean-up, that has waited for a
 * condition has used the signals that had come by then. Which signals these are follows from the history, so replay finds
 * them again.
 */
final class UnusedSignals {
    private final List<SignalReceived> ofFirstTurn = new ArrayList<>(0);
    private final List<SignalReceived> late = new ArrayList<>(0);

    void addOfFirstTurn(SignalReceived signal) {
        ofFirstTurn.add(signal);
    }

    void addLate(SignalReceived signal) {
        late.add(signal);
    }

    /** Notes that the code has come to a wait behind its first turn, and goes on with the signals that it was fed. */
    void firstTurnIsOver() {
        ofFirstTurn.clear();
    }

    /** Notes that the handler of the signal has failed the run, as it would fail the next attempt. */
    void hasFailed(SignalReceived signal) {
        ofFirstTurn.remove(signal);
        late.remove(signal);
    }

    /** Notes that the code that ends the run has asked for signals, and has got what it waited for. */
    void areUsed() {
        ofFirstTurn.clear();
        late.clear();
    }

    /** Returns the signals in the order in which they were fed. */
    List<SignalReceived> all() {
        return Stream.concat(ofFirstTurn.stream(), late.stream()).toList();
    }
}
