package dev.durable.store.contract;

import org.junit.jupiter.api.Nested;

/** The whole contract. A store's test extends it and says where fresh stores come from. */
public abstract class HistoryStoreContract {

    /** An empty, open store. */
    protected abstract StoreFixture newFixture();

    @Nested
    class Starts extends StartContract {
        @Override
        StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Inboxes extends InboxContract {
        @Override
        StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Transitions extends TransitionContract {
        @Override
        StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Closes extends CloseContract {
        @Override
        StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class RunClaims extends RunClaimContract {
        @Override
        StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Jobs extends JobContract {
        @Override
        StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Sessions extends SessionContract {
        @Override
        StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class ReadBacks extends ReadBackContract {
        @Override
        StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Seizing extends SeizureContract {
        @Override
        StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Listings extends ListingContract {
        @Override
        StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Texts extends TextContract {
        @Override
        StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Nudging extends NudgeContract {
        @Override
        StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Races extends RaceContract {
        @Override
        StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Traffic extends TrafficContract {
        @Override
        StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Faults extends FaultContract {
        @Override
        StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }
}
