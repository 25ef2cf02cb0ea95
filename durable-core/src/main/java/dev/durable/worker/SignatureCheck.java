package dev.durable.worker;

import dev.durable.PayloadException;
import dev.durable.RegistrationException;
import dev.durable.declare.ActivityMethod;
import dev.durable.declare.ActivityType;
import dev.durable.declare.MethodSpec;
import dev.durable.declare.Registry;
import dev.durable.declare.WorkflowType;
import dev.durable.payload.PayloadCodec;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Looks through the types of all signatures before the engine starts. A result that can't be read back would else be found
 * out when the work is done and its run can't go on.
 */
final class SignatureCheck {
    private SignatureCheck() {}

    /** Refuses a registry with signatures that no payload can carry, with all that is wrong. */
    static void of(Registry registry, PayloadCodec payloads) {
        Set<String> problems = new LinkedHashSet<>();
        signatures(registry).forEach(signature -> {
            try {
                payloads.check(signature);
            } catch (PayloadException e) {
                problems.add(e.getMessage());
            }
        });
        if (!problems.isEmpty()) {
            throw new RegistrationException(problems.stream()
                    .collect(Collectors.joining("\n  - ", "types that no payload can carry:\n  - ", "")));
        }
    }

    private static Stream<MethodSpec> signatures(Registry registry) {
        Stream<MethodSpec> workflows = registry.workflowTypes().stream()
                .sorted()
                .flatMap(name -> registry.workflow(name).stream())
                .flatMap(SignatureCheck::signatures);
        Stream<MethodSpec> activities = registry.activityNames().stream()
                .sorted()
                .flatMap(name -> registry.activity(name).stream())
                .map(binding -> binding.activity().spec());
        return Stream.concat(workflows, activities);
    }

    private static Stream<MethodSpec> signatures(WorkflowType workflow) {
        return Stream.of(
                        Stream.of(workflow.run()),
                        workflow.signals().values().stream(),
                        workflow.queries().values().stream(),
                        workflow.dependencies().stream()
                                .map(ActivityType::methods)
                                .flatMap(methods -> methods.stream().map(ActivityMethod::spec)))
                .flatMap(signatures -> signatures);
    }
}
