package dev.durable.store.contract;

import org.junit.jupiter.api.Nested;

/** The whole contract. A store's test extends it and says where fresh stores come from. */
public abstract class HistoryStoreContract extends HistoryStoreCore {

    @Nested
    class SignalsWithStarts extends SignalWithStartContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Transitions extends TransitionContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class RunClaims extends RunClaimContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Builds extends BuildContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Transactional extends TransactionalContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class WaitingTimeouts extends WaitingTimeoutContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Orders extends JobOrderContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Queues extends QueueContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Forks extends ForkContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Resets extends ResetContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class ReadBacks extends ReadBackContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Listings extends ListingContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Texts extends TextContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Nudging extends NudgeContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Races extends RaceContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Traffic extends TrafficContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }

    @Nested
    class Faults extends FaultContract {
        @Override
        protected StoreFixture newFixture() {
            return HistoryStoreContract.this.newFixture();
        }
    }
}
