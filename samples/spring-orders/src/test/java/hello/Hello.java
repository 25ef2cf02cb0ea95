// docs: spring-quick-start
package hello;

import dev.durable.Activity;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

@SpringBootApplication
public class Hello {
    @Component
    @Activity
    static class Greeter {
        public String greet(String name) {
            return "Hello, " + name;
        }
    }

    @Workflow
    static class Greeting {
        private final Greeter greeter;

        Greeting(Greeter greeter) {
            this.greeter = greeter;
        }

        @Run
        String run(String name) {
            return greeter.greet(name);
        }
    }

    @Bean
    ApplicationRunner first(DurableClient client) {
        return arguments -> System.out.println(
                client.start(Greeting.class, "greeting-1", w -> w.run("Ann")).result());
    }

    public static void main(String[] arguments) {
        SpringApplication.run(Hello.class, arguments);
    }
}
// docs: end
