package dev.durable.spring.dev;

import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings below {@code durable.dev.*}.
 *
 * @param embeddedPostgres Whether an application without a DataSource runs on the embedded PostgreSQL, where {@code
 *     durable-embedded-postgres} is on the class path.
 * @param dataDirectory Where its data is; when not set, target/durable-postgres or build/durable-postgres below a project
 *     of Maven or Gradle, else below XDG_STATE_HOME or ~/.local/state, in a directory of the application's name. Not one
 *     that another user can have prepared.
 * @param forbiddenProfiles Profiles with which the application does not start rather than on the embedded PostgreSQL, in
 *     upper or lower case.
 */
@ConfigurationProperties("durable.dev")
public record DurableDevProperties(
        @DefaultValue("true") boolean embeddedPostgres,
        @Nullable Path dataDirectory,
        @DefaultValue({"prod", "production"}) Set<String> forbiddenProfiles) {}
