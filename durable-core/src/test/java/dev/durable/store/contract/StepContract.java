package dev.durable.store.contract;

import org.junit.jupiter.api.Nested;

/** The parts of the contract that write steps of runs, for a store that writes them in several ways. */
public abstract class StepContract {

    /** An empty, open store. */
    protected abstract StoreFixture newFixture();

    @Nested
    class Transitions extends TransitionContract {
        @Override
        protected StoreFixture newFixture() {
            return StepContract.this.newFixture();
        }
    }

    @Nested
    class Closes extends CloseContract {
        @Override
        protected StoreFixture newFixture() {
            return StepContract.this.newFixture();
        }
    }

    @Nested
    class Jobs extends JobContract {
        @Override
        protected StoreFixture newFixture() {
            return StepContract.this.newFixture();
        }
    }

    @Nested
    class ReadBacks extends ReadBackContract {
        @Override
        protected StoreFixture newFixture() {
            return StepContract.this.newFixture();
        }
    }

    @Nested
    class Texts extends TextContract {
        @Override
        protected StoreFixture newFixture() {
            return StepContract.this.newFixture();
        }
    }

    @Nested
    class Races extends RaceContract {
        @Override
        protected StoreFixture newFixture() {
            return StepContract.this.newFixture();
        }
    }
}
