package dev.durable.client;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Takes out of error messages what must not stand in a database: {@code builder.errorSanitizer(text -> …)}. Applied to every
 * message of an exception before it is recorded, causes and suppressed ones included; class names and stacks are kept as they
 * are, and so are the own fields of exceptions that a method declares, which are data. Thread-safe; must not throw (if it
 * does, the message is left out).
 *
 * <p>After it, a message is cut to 4 KiB and a stack to 32 KiB.
 */
@FunctionalInterface
public interface ErrorSanitizer {

    /** Leaves everything as it is. */
    ErrorSanitizer NONE = text -> text;

    /**
     * Masks user and password in URLs (JDBC ones too), values of {@code password=}, {@code secret=}, {@code token=}, {@code
     * api_key=}, {@code private_key=} and the like, also as JSON, as JSON in JSON, as elements of XML and as options of a
     * command line ({@code --password x}); ids of sessions ({@code JSESSIONID=}) and signatures of URLs ({@code
     * X-Amz-Signature=}, {@code sig=}); credentials in {@code Authorization}, cookies, JSON Web Tokens, private keys, e-mail
     * addresses, and keys that are known by how they begin: of GitHub ({@code ghp_}, {@code github_pat_} …), GitLab ({@code
     * glpat-} …), AWS ({@code AKIA}, {@code ASIA}), Stripe ({@code sk_live_}, {@code rk_live_} …), Slack ({@code xoxb-} …),
     * Google ({@code AIza}, {@code ya29.}), OpenAI and Anthropic ({@code sk-}), SendGrid ({@code SG.}), npm, PyPI, Hugging
     * Face, HashiCorp Vault ({@code hvs.}), Shopify and DigitalOcean.
     */
    ErrorSanitizer DEFAULT = Masks::apply;

    /** The text without what must not be recorded. */
    String sanitize(String text);

    /**
     * The masks of {@link #DEFAULT}. An attacker chooses messages, and workflow code fails on the one thread that all
     * runs share: each mask costs linear time. It begins at a fixed word, or where a run of its characters begins, so
     * that no character is looked at from many places; and what repeats is possessive or short.
     */
    final class Masks {
        /** Names whose value is a secret, with the quote and the separator after them. */
        private static final String NAME =
                "((?=[aceiprstx])(?:password|passwd|passphrase|passcode|pwd|secret|credentials?"
                        + "|(?:api|access|private|account|signing|encryption)[_-]?key"
                        + "|(?:access|refresh|id|auth|session|api|csrf|xsrf)[_-]?token"
                        + "|(?<![a-z0-9])pass|(?<![a-z0-9])(?<!unexpected\\s)token)"
                        + "(?:[_-]?(?:access|key|id|value|text|string|token|hash|base64|[0-9]{1,3})){0,3}+"
                        + "(?:\\\\{0,8}+[\"'])?+\\s{0,5}+(?>=>|[=:])\\s{0,5}+)";

        /** In quotes, which may be escaped (JSON in JSON) and whose end may be cut off; or up to the next separator. */
        private static final String VALUE = "(?:\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"?"
                + "|'[^'\\\\]*+(?:\\\\.[^'\\\\]*+)*+'?"
                + "|(?<escape>\\\\{1,8}+)(?<quote>[\"'])(?:[^\\\\\"']|\\\\++(?![\\\\\"'])|(?!\\k<escape>\\k<quote>)\\\\*+[\"'])*+"
                + "(?:\\\\++[\"'])?"
                + "|(?:[^\\s&;,)}\\]\"'\\\\]|\\\\(?!\\\\{0,8}+[\"']))++)";

        /** The last words of the name of an element or option whose value is a secret. */
        private static final String WORD = "(?:password|passwd|passphrase|passcode|pwd|secret|token|credentials?"
                + "|(?:api|access|private|secret)[_-]?key)";

        private static final List<Map.Entry<Pattern, String>> ALL = List.of(
                mask(
                        "-----BEGIN [a-z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----))*+"
                                + "(?:-----END [a-z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?",
                        "***"),
                // A password may have an @ or a slash in it. After a port, a slash begins the path.
                mask(
                        "(://)(?!\\[)[^/\\s:@]{0,200}+:(?:[^/\\s]{1,200}@|(?![0-9]{1,5}+/)[^\\s\"'<>@]{1,200}+@)",
                        "$1***@"),
                mask("(jdbc:oracle:[a-z]{1,10}+:)[^/\\s]{1,100}+/[^@\\s]{1,100}+@", "$1***@"),
                mask(
                        "((?:set-)?cookie(?:\\\\{0,8}+[\"'])?+\\s{0,5}+[=:]\\s{0,5}+(?:\\\\{0,8}+[\"'])?+)(?!\\*\\*\\*)[^\\r\\n\"'\\\\]++",
                        "$1***"),
                mask(
                        "(authorization(?:\\\\{0,8}+[\"'])?+\\s{0,5}+[=:]\\s{0,5}+(?:\\\\{0,8}+[\"'])?+"
                                + "(?:(?:bearer|basic|token|apikey|negotiate)\\s{1,5}+)?+)"
                                + "(?!\\*\\*\\*)(?:(?:digest|aws4-hmac-sha256)\\s[^\\r\\n]++|[^\\s\"'\\\\,;]++)",
                        "$1***"),
                mask("\\b((?:bearer|basic)\\s{1,5}+)[a-z0-9._~+/=-]{6,}+", "$1***"),
                // Two parts more where it is encrypted. Not KeyJournal.entries.first, which is a name.
                mask(
                        "(?<![a-z0-9_-])(?=(?:[a-z0-9_-]{0,99}?[_-])?(?-i:eyJ)[a-z0-9_-]{5})[a-z0-9_-]++\\.[a-z0-9_-]{5,}+\\.[a-z0-9_-]*+"
                                + "(?:\\.[a-z0-9_-]{5,}+){0,2}+",
                        "***"),
                mask(
                        "(?<![a-z0-9])(?-i:gh[oprsu]_[A-Za-z0-9]{20,}+|github_pat_[A-Za-z0-9_]{20,}+"
                                + "|(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])"
                                + "|(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}+|whsec_[A-Za-z0-9+/=]{20,}+"
                                + "|xox[abeoprs]-[A-Za-z0-9-]{10,}+|xapp-[A-Za-z0-9-]{10,}+"
                                + "|AIza[A-Za-z0-9_-]{35,}+|ya29\\.[A-Za-z0-9_-]{20,}+"
                                + "|gl(?:pat|dt|rt|ft|cbt|ptt|soat|agent)-[A-Za-z0-9_-]{20,}+"
                                + "|sk-(?:(?:proj|ant|svcacct|admin|or)-[A-Za-z0-9_-]{16,}+|[A-Za-z0-9]{20,}+)"
                                + "|SG\\.[A-Za-z0-9_-]{16,}+\\.[A-Za-z0-9_-]{16,}+|hv[bs]\\.[A-Za-z0-9_-]{20,}+"
                                + "|npm_[A-Za-z0-9]{30,}+|hf_[A-Za-z0-9]{30,}+|pypi-[A-Za-z0-9_-]{50,}+"
                                + "|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32,}+|do[opr]_v1_[a-f0-9]{64,}+)",
                        "***"),
                mask(
                        "(?<![a-z0-9])((?:jsessionid|phpsessid|sessionid|asp\\.net_sessionid|connect\\.sid"
                                + "|x-amz-signature|x-goog-signature|sig)=)[^\\s&;,?#\"'<>)\\]}\\\\]++",
                        "$1***"),
                mask(
                        "(?<![a-z0-9-])(--(?:[a-z0-9]{1,20}+-){0,3}?" + WORD + "\\s{1,5}+)(?!-|\\*\\*\\*)"
                                + "(?:\"[^\"]*+\"?+|'[^']*+'?+|[^\\s\"',;]++)",
                        "$1***"),
                // In XML, which may itself be in XML.
                mask(
                        "((?:<|&lt;)[a-z0-9_.:-]{0,40}?" + WORD + "(?:\\s(?:(?!&gt;)[^<>]){0,200}+)?+(?:>|&gt;)"
                                + "(?:<!\\[CDATA\\[)?+)(?!\\*\\*\\*)(?:(?!&lt;)[^<])++",
                        "$1***"),
                mask(NAME + "(?!\\*\\*\\*)(?!(?:bearer|basic)\\s)" + VALUE, "$1***"),
                mask("(?<![a-z0-9._%+-])[a-z0-9._%+-]++@[a-z0-9-]{1,63}+(?:\\.[a-z0-9-]{1,63}+){1,8}+", "***@***"));

        private Masks() {}

        private static Map.Entry<Pattern, String> mask(String pattern, String by) {
            return Map.entry(Pattern.compile(pattern, Pattern.CASE_INSENSITIVE), by);
        }

        static String apply(String text) {
            String masked = text;
            for (Map.Entry<Pattern, String> mask : ALL) {
                masked = mask.getKey().matcher(masked).replaceAll(mask.getValue());
            }
            return masked;
        }
    }
}
