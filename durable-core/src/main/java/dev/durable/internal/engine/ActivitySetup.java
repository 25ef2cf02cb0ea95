package dev.durable.internal.engine;

import dev.durable.internal.attempt.AttemptServices;
import dev.durable.internal.observe.Telemetry;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The parameters from which an engine builds the part of its worker that runs activities.
 *
 * @param settings the settings of the engine
 * @param code the activities implemented here
 * @param names their names and aliases, whose jobs are claimed
 * @param workflowTypes names and aliases of the workflow types of this process; null where it takes runs of any type
 * @param ids makes random ids
 * @param telemetry reports attempts and upkeep
 */
record ActivitySetup(
        EngineSettings settings,
        AttemptServices.Code code,
        Set<String> names,
        @Nullable Set<String> workflowTypes,
        Supplier<UUID> ids,
        Telemetry telemetry) {

    ActivitySetup {
        names = Set.copyOf(names);
    }
}
