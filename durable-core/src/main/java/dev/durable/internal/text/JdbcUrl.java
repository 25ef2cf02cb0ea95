package dev.durable.internal.text;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes a JDBC URL safe to show: without password. */
public final class JdbcUrl {
    /**
     * The name of a secret in a decoded parameter: its own name, or one within its value, as in {@code options=-c
     * app.token=x}.
     */
    private static final Pattern SECRET =
            Pattern.compile("(?:pass|pwd|secret|token|credential|api[_-]?key)[^=]{0,60}=", Pattern.CASE_INSENSITIVE);

    private static final Pattern ENCODED = Pattern.compile("%([0-9a-fA-F]{2})");

    /**
     * {@code //user:password@host}: a form that this driver does not take, but that is often tried, also without the
     * slashes. The last @ counts: a password may have one, and a slash or question mark too. After a port begins the
     * path.
     */
    private static final Pattern AUTHORITY = Pattern.compile(
            "^((?:jdbc:)?+[a-z][a-z0-9+]*:(?://)?[^:?@]*:|(?!jdbc:|[a-z0-9+]+://)[^:/?@]*:)(?![0-9]{1,5}(?:[,/?]|$)).*@",
            Pattern.CASE_INSENSITIVE);

    /** A text in the place of a port that is none: it may be a password whose host was forgotten. */
    private static final Pattern NO_PORT =
            Pattern.compile("^([a-z:]*//[^:/?@]*:)(?!\\*\\*\\*)[^/?,@]*[^0-9/?,@][^/?,@]*");

    private static final String HOST = "(?:[^\\s@/?:,#\\[\\]]+|\\[[0-9a-fA-F:.%]+])(?::[0-9]{1,5})?";

    /** The URLs that the driver takes without a line in its log, which would show the rest of the URL. */
    private static final Pattern OF_THE_DRIVER =
            Pattern.compile("jdbc:postgresql:(?://(?:" + HOST + "(?:," + HOST + ")*+)?/[^/?@]*|[^/?@:]*)(?:\\?.*)?");

    private JdbcUrl() {}

    /** Returns whether the URL is written as the driver wants it, with user and password nowhere but in parameters. */
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
        String place =
                NO_PORT.matcher(AUTHORITY.matcher(url).replaceFirst("$1***@")).replaceFirst("$1***");
        int fragment = place.indexOf('#');
        // The driver knows no fragments: a fragment is the rest of a value, or a mistake.
        return fragment < 0 ? parameters(place) : parameters(place.substring(0, fragment)) + "#***";
    }

    /**
     * Other databases have semicolons between parameters, and a value with one in it looks like two: of such a URL
     * nothing is shown from the first secret on. Behind a question mark a semicolon is part of the value.
     */
    private static String parameters(String url) {
        int begin = 0;
        while (begin < url.length() && "?&;".indexOf(url.charAt(begin)) < 0) {
            begin++;
        }
        StringBuilder shown = new StringBuilder(url.substring(0, begin));
        while (begin < url.length()) {
            char separator = url.charAt(begin) == ';' ? ';' : '&';
            int next = url.indexOf(separator, begin + 1);
            int end = next < 0 ? url.length() : next;
            String parameter = url.substring(begin, end);
            boolean secret = SECRET.matcher(decoded(parameter)).find();
            shown.append(secret ? parameter.substring(0, parameter.indexOf('=') + 1) + "***" : parameter);
            begin = secret && separator == ';' ? url.length() : end;
        }
        return shown.toString();
    }

    /** The parameter as the driver decodes it; a part that the driver would refuse stays as it is. */
    private static String decoded(String parameter) {
        return ENCODED.matcher(parameter)
                .replaceAll(
                        code -> Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(code.group(1), 16))));
    }
}
