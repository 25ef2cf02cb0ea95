package dev.durable.spring.app;

import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import java.util.ArrayList;
import java.util.List;

/** Listens until a signal says bye. */
@Workflow
public class ChatWorkflow {
    private final List<String> heard = new ArrayList<>();

    @Run
    public void run() {
        Durable.await(() -> heard.contains("bye"));
    }

    @Signal
    public void say(String word) {
        heard.add(word);
    }

    @Query
    public List<String> heard() {
        return heard;
    }
}
