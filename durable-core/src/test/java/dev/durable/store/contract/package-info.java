/**
 * What every history store must do, as tests. A store runs all of it by one subclass of
 * {@link dev.durable.store.contract.HistoryStoreContract} that hands in a {@link dev.durable.store.contract.StoreFixture}:
 * an empty store, a way to move its time, and where it can do so a sender that is held open in the middle.
 *
 * <p>Each {@code …Contract} class is one part of it; {@link dev.durable.store.contract.Writer} writes runs as a worker
 * does, {@link dev.durable.store.contract.StoreInvariants} is checked after every single test.
 */
package dev.durable.store.contract;
