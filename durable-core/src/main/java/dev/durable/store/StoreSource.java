package dev.durable.store;

/** What an engine can be built on: a store, or something that has one. */
public interface StoreSource {
    /** The store. The same one each time. */
    HistoryStore historyStore();
}
