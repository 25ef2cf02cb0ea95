package dev.durable;

import dev.durable.client.Installation;

/**
 * The store holds the work of another installation: it is a copy of another database, or belongs to one of another name.
 * This process does none of its work and refuses calls that write; reads go on. The message says why, and the
 * ways out; see {@link Installation}. To the loops of an engine it is like a database that is away: they wait, and go on by
 * themselves once the store is their own.
 */
public class ForeignInstallationException extends StoreUnavailableException {
    private static final long serialVersionUID = 1L;

    public ForeignInstallationException(String message) {
        super(message);
    }
}
