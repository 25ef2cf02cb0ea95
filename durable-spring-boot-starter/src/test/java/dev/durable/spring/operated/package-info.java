/** The HTTP side of an application: problem details, and the endpoints of Actuator. */
package dev.durable.spring.operated;
