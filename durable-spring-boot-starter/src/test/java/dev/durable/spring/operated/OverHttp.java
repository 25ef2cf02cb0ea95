package dev.durable.spring.operated;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;

/** One context for all tests that ask the application over HTTP: a second one would cost a second. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(
        classes = OperatedApplication.class,
        properties = {
            "management.endpoints.web.exposure.include=*",
            "management.endpoint.health.show-details=always",
            "management.endpoint.health.probes.enabled=true",
            "durable.max-payload-size=1000B",
            "durable.actuator.allow-writes=true",
            "durable.migration-password=hunter2",
            "durable.activities.Desk.headers.api-token=hunter3"
        })
@interface OverHttp {}
