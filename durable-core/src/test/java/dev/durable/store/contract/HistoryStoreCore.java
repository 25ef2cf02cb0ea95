package dev.durable.store.contract;

import org.junit.jupiter.api.Nested;

/** The part of the contract that the quick build runs on more than one server. */
public abstract class HistoryStoreCore {

    /** An empty, open store. */
    protected abstract StoreFixture newFixture();

    @Nested
    class Starts extends StartContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }

    @Nested
    class Inboxes extends InboxContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }

    @Nested
    class Children extends ChildContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }

    @Nested
    class Outgoing extends OutgoingContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }

    @Nested
    class Replies extends ReplyContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }

    @Nested
    class Streams extends StreamContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }

    @Nested
    class Callbacks extends CallbackContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }

    @Nested
    class Continuations extends ContinuationContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }

    @Nested
    class RetriedRuns extends RetriedRunContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }

    @Nested
    class Compositions extends CompositionContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }

    @Nested
    class Details extends DetailsContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }

    @Nested
    class Closes extends CloseContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }

    @Nested
    class Jobs extends JobContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }

    @Nested
    class Batches extends BatchContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }

    @Nested
    class Sessions extends SessionContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }

    @Nested
    class Burying extends BuriedContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }

    @Nested
    class Seizing extends SeizureContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreCore.this.newFixture();
        }
    }
}
