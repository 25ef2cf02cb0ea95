package dev.durable.store;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Makes a JDBC URL safe to show: without password. */
public final class JdbcUrl {
    /** Parameters of the driver (password, sslpassword …), and what people write for them elsewhere. */
    private static final Pattern PARAMETER = Pattern.compile(
            "([?&;][^=&;?]{0,60}(?:password|passwd|pwd|secret|token)[^=&;?]{0,60}=)[^&;]*", Pattern.CASE_INSENSITIVE);

    /**
     * {@code //user:password@host}: not for this driver, but often tried, also without the slashes. The last @ counts: a
     * password may have one, and a slash or question mark too. After a port begins the path.
     */
    private static final Pattern AUTHORITY = Pattern.compile(
            "^((?:jdbc:)?+[a-z][a-z0-9+]*:(?://)?[^:?@]*:|(?!jdbc:|[a-z0-9+]+://)[^:/?@]*:)(?![0-9]{1,5}(?:[,/?]|$)).*@",
            Pattern.CASE_INSENSITIVE);

    /** What stands where a port would and is none may be a password whose host was forgotten. */
    private static final Pattern NO_PORT =
            Pattern.compile("^([a-z:]*//[^:/?@]*:)(?!\\*\\*\\*)[^/?,@]*[^0-9/?,@][^/?,@]*");

    private static final String HOST = "(?:[^\\s@/?:,#\\[\\]]+|\\[[0-9a-fA-F:.%]+])(?::[0-9]{1,5})?";

    /** What the driver takes without a word in its log, which would show the rest of it. */
    private static final Pattern OF_THE_DRIVER =
            Pattern.compile("jdbc:postgresql:(?://(?:" + HOST + "(?:," + HOST + ")*+)?/[^/?@]*|[^/?@:]*)(?:\\?.*)?");

    private JdbcUrl() {}

    /** Whether it is written as the driver wants it, with user and password nowhere but in parameters. */
    public static boolean isOfDriver(String url) {
        return OF_THE_DRIVER.matcher(url).matches() && isDecodable(url);
    }

    private static boolean isDecodable(String url) {
        try {
            URLDecoder.decode(url, StandardCharsets.UTF_8);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The URL as it may be shown. */
    public static String withoutSecrets(String url) {
        String shown =
                PARAMETER.matcher(AUTHORITY.matcher(url).replaceFirst("$1***@")).replaceAll("$1***");
        return NO_PORT.matcher(shown).replaceFirst("$1***");
    }
}
