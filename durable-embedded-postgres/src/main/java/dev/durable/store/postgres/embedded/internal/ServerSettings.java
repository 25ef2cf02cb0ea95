package dev.durable.store.postgres.embedded.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The settings of an embedded server: port, durability, extra parameters.
 *
 * @param durable whether a commit waits until the disk has it
 * @param port 0 for any that is free
 * @param extra what the caller adds, by the names of {@code postgresql.conf}
 */
public record ServerSettings(boolean durable, int port, Map<String, String> extra) {
    private static final Set<String> DURABILITY = Set.of("fsync", "synchronous_commit", "full_page_writes");
    private static final Set<String> OURS = Set.of("port", "listen_addresses", "unix_socket_directories");

    /**
     * Copies the map, refuses what would break the promises of an embedded server.
     *
     * @throws IllegalArgumentException for a setting that is not for the caller to choose, or a port that is none
     */
    public ServerSettings {
        extra = Map.copyOf(extra);
        for (String name : extra.keySet()) {
            if (!name.matches("[A-Za-z_][\\w.]*")) {
                throw EmbeddedErrors.noSettingName(name);
            }
            if (DURABILITY.contains(name)) {
                throw EmbeddedErrors.durabilitySetting(name);
            }
            if (OURS.contains(name)) {
                throw EmbeddedErrors.ourSetting(name);
            }
        }
        if (port < 0 || port > 65535) {
            throw EmbeddedErrors.noPort(port);
        }
    }

    boolean portFixed() {
        return port != 0;
    }

    /** The text of a configuration file that makes the server listen on the given port. */
    String configuration(int listenOn) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("listen_addresses", "127.0.0.1");
        all.put("port", Integer.toString(listenOn));
        all.put("unix_socket_directories", "");
        all.put("max_connections", "100");
        all.put("shared_buffers", "128MB");
        all.put("timezone", "UTC");
        all.put("log_timezone", "UTC");
        // Without "$user": the login is called durable, as the schema of histories is. Once that schema is made, an
        // application's own tables would be looked for there.
        all.put("search_path", "public");
        // A small log: starts, stops and crashes, but not each statement that fails.
        all.put("log_min_messages", "log");
        all.put("log_checkpoints", "off");
        DURABILITY.forEach(name -> all.put(name, durable ? "on" : "off"));
        all.putAll(extra);
        return all.entrySet().stream()
                .map(setting -> setting.getKey() + " = '" + quoted(setting.getValue()) + "'\n")
                .collect(Collectors.joining());
    }

    private static String quoted(String value) {
        return value.replace("\\", "\\\\").replace("'", "''").replace("\n", "\\n");
    }
}
