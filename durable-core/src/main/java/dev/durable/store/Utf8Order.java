package dev.durable.store;

import java.util.Comparator;

/** Sorts workflow ids as collation C of PostgreSQL does, by their UTF-8 bytes, so that batches of all processes lock rows in
 * the same order. */
public enum Utf8Order implements Comparator<String> {
    INSTANCE;

    @Override
    public int compare(String a, String b) {
        int n = Math.min(a.length(), b.length());
        for (int i = 0; i < n; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean xs = Character.isSurrogate(x);
                boolean ys = Character.isSurrogate(y);
                return xs == ys ? Character.compare(x, y) : xs ? 1 : -1;
            }
        }
        return Integer.compare(a.length(), b.length());
    }
}
