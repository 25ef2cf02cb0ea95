/** What an application shows over HTTP: problem details, and the endpoints of Actuator. */
package dev.durable.spring.operated;
