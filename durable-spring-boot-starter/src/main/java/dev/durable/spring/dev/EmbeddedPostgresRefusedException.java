package dev.durable.spring.dev;

/** An application without a DataSource is not to run on the embedded PostgreSQL with the profile that is active. */
final class EmbeddedPostgresRefusedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String profile;

    EmbeddedPostgresRefusedException(String profile) {
        super(problem(profile));
        this.profile = profile;
    }

    private static String problem(String profile) {
        return "No DataSource is configured, and the embedded PostgreSQL, which durable-embedded-postgres on the class path"
                + " offers for development, is not started as the profile \"" + profile
                + "\" is active: the application"
                + " would begin on an empty database without backups.";
    }

    String problem() {
        return problem(profile);
    }

    String wayOut() {
        return "Set spring.datasource.url (usual cause: the configuration of this environment was not found). Take"
                + " durable-embedded-postgres off the class path of what is deployed: scope test, developmentOnly, or an"
                + " optional dependency. If this is a development machine after all, leave \"" + profile
                + "\" out of durable.dev.forbidden-profiles.";
    }
}
