package dev.durable.samples.patterns.approval;

import dev.durable.Durable;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Update;
import dev.durable.Workflow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

// docs: pattern-approval
/** Asks one person after the other until one of them decides. */
@Workflow
public class ApprovalWorkflow {
    private final Approvers approvers;
    private final List<String> asked = new ArrayList<>();
    private @Nullable Decision decision;

    ApprovalWorkflow(Approvers approvers) {
        this.approvers = approvers;
    }

    /**
     * What was decided.
     *
     * @param by the person that decided; empty if none did in time
     */
    public record Decision(String by, boolean granted) {}

    @Run
    public Decision run(String request, List<String> chain, Duration patience) {
        for (String approver : chain) {
            asked.add(approver);
            approvers.ask(approver, request);
            if (Durable.await(patience, () -> decision != null)) {
                break;
            }
        }
        return decision == null ? new Decision("", false) : decision;
    }

    @Update
    public Decision decide(String by, boolean granted) { // its caller learns whether the decision counts
        Decision decided = new Decision(by, granted);
        decision = decided;
        return decided;
    }

    @Update.Validator("decide")
    void check(String by, boolean granted) {
        if (decision != null) {
            throw new IllegalStateException(decision.by() + " has decided already");
        }
        if (!asked.contains(by)) {
            throw new IllegalStateException(by + " was not asked");
        }
    }

    @Query
    public List<String> asked() {
        return asked;
    }
}
// docs: end
