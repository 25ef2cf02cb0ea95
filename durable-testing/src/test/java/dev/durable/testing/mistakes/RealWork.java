package dev.durable.testing.mistakes;

import java.util.List;

/** Does it. */
class RealWork implements Work {
    @Override
    public String run(String what) {
        if (what.startsWith("fail")) {
            throw new IllegalStateException(what);
        }
        return "did " + what;
    }

    @Override
    public int count(int upTo) {
        return List.of(1, 2, 3).size() + upTo;
    }

    @Override
    public void nothing() {}
}
