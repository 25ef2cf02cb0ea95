package dev.durable.store;

/** Provides a {@link HistoryStore} to build an engine on; every store is its own source. */
public interface StoreSource {
    /** Returns the store, which is one object however often it is asked for. */
    HistoryStore historyStore();
}
