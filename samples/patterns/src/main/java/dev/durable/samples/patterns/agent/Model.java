package dev.durable.samples.patterns.agent;

import dev.durable.Activity;
import java.util.List;

/** The language model. */
@Activity(startToClose = "2m")
public interface Model {
    /** What the model says next. */
    sealed interface Step {
        /** Tokens that this step has used. */
        int tokens();
    }

    /** It is done. */
    record Answer(String text, int tokens) implements Step {}

    /** It wants a tool to be called. */
    record Call(String tool, String input, int tokens) implements Step {}

    Step next(List<String> conversation);
}
