package dev.durable.spring;

import dev.durable.internal.text.Bounds;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.info.GitProperties;

/**
 * Finds a name for the build of an application that configures none, in what its build tool has packaged. A name is only
 * taken where other code has another one: pinned runs rely on that.
 */
final class BuildName {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss").withZone(ZoneOffset.UTC);
    /** Leaves room for the time in a name of at most 64 characters. */
    private static final int LONGEST_VERSION = 48;

    private BuildName() {}

    /** Returns a name from build-info.properties, else from git.properties; null where neither has one. */
    static @Nullable String of(ListableBeanFactory beans) {
        BuildProperties build = beans.getBeanProvider(BuildProperties.class).getIfUnique();
        String name = build == null ? null : of(build);
        GitProperties git =
                name == null ? beans.getBeanProvider(GitProperties.class).getIfUnique() : null;
        return git == null ? name : of(git);
    }

    /** Version and time; a version alone where it is none of a snapshot, which has the same version in each build. */
    private static @Nullable String of(BuildProperties build) {
        String version = build.getVersion() == null ? "" : build.getVersion().strip();
        String cut = Bounds.cut(version, LONGEST_VERSION);
        Instant time = build.getTime();
        if (time == null) {
            return version.isEmpty() || version.endsWith("-SNAPSHOT") ? null : cut;
        }
        return cut.isEmpty() ? TIME.format(time) : cut + "-" + TIME.format(time);
    }

    /** The commit, unless files were changed that it does not have. */
    private static @Nullable String of(GitProperties git) {
        return Boolean.parseBoolean(git.get("dirty")) ? null : git.getShortCommitId();
    }
}
