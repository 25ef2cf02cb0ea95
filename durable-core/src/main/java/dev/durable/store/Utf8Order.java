package dev.durable.store;

import java.util.Comparator;

/** Compares strings as their UTF-8 bytes compare, which is how a database with collation C does. */
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
