package dev.durable.store;

/** Something that gives a {@link HistoryStore} to build an engine on; every store is one. */
public interface StoreSource {
    /** The store. The same one each time. */
    HistoryStore historyStore();
}
