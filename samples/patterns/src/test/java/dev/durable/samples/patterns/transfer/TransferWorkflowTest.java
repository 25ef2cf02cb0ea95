package dev.durable.samples.patterns.transfer;

import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

@DurableTest
class TransferWorkflowTest {
    private final Bank bank = new Bank();

    @Test
    void moneyIsMovedOnceAlthoughAnswersAreLostAndTheOrderComesTwice(TestEngine engine) {
        bank.answersToLose = 3;
        register(engine);
        assertThat(TransferDemo.order(engine.client(), "t-1").resultAs(String.class))
                .isEqualTo("moved");

        var second = TransferDemo.order(engine.client(), "t-1");

        assertThat(second.resultAs(String.class)).isEqualTo("moved");
        assertThat(engine.client().workflows().count()).isOne();
        assertThat(bank.balances).isEqualTo(Map.of("ann", new BigDecimal("75.00"), "bob", new BigDecimal("125.00")));
        assertThat(bank.answersToLose).isZero();
    }

    @Test
    void whatTheOtherBankRefusesComesBack(TestEngine engine) {
        bank.closed = "bob";
        register(engine);

        assertThat(TransferDemo.order(engine.client(), "t-2").resultAs(String.class))
                .isEqualTo("returned: bob's account is closed");

        assertThat(bank.balances).isEqualTo(Map.of("ann", new BigDecimal("100.00"), "bob", new BigDecimal("100.00")));
    }

    private void register(TestEngine engine) {
        engine.register(TransferWorkflow.class).activity(Accounts.class, bank);
    }

    /** Books once for each key, and may lose its answers. */
    private static class Bank implements Accounts {
        final Map<String, BigDecimal> balances =
                new TreeMap<>(Map.of("ann", new BigDecimal("100.00"), "bob", new BigDecimal("100.00")));
        private final Set<String> keys = new HashSet<>();
        String closed = "";
        int answersToLose;

        @Override
        public void withdraw(String key, String account, BigDecimal amount) throws Refused {
            book(key, account, amount.negate());
        }

        @Override
        public void deposit(String key, String account, BigDecimal amount) throws Refused {
            book(key, account, amount);
        }

        private void book(String key, String account, BigDecimal amount) throws Refused {
            if (account.equals(closed)) {
                throw new Refused(account + "'s account is closed");
            }
            if (keys.add(key)) {
                balances.merge(account, amount, BigDecimal::add);
            }
            if (answersToLose > 0) {
                answersToLose--;
                throw new IllegalStateException("the answer was lost");
            }
        }
    }
}
