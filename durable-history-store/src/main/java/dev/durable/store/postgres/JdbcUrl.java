package dev.durable.store.postgres;

import java.util.regex.Pattern;

/** A URL as it may be shown. */
final class JdbcUrl {
    /** Parameters of the driver (password, sslpassword …), and what people write for them elsewhere. */
    private static final Pattern PARAMETER = Pattern.compile(
            "([?&;][^=&;?]{0,60}(?:password|passwd|pwd|secret|token)[^=&;?]{0,60}=)[^&;]*", Pattern.CASE_INSENSITIVE);

    /** {@code //user:password@host}: not for this driver, but often tried. The last @ counts: a password may have one. */
    private static final Pattern AUTHORITY = Pattern.compile("(//[^:/?@]*:)[^?]*@");

    private JdbcUrl() {}

    static String withoutSecrets(String url) {
        String shown = PARAMETER.matcher(url).replaceAll("$1***");
        return AUTHORITY.matcher(shown).replaceAll("$1***@");
    }
}
