package dev.durable.spring.operated;

import dev.durable.QueueFullException;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;

/** An advice of the application's own, without an order. */
@ControllerAdvice
class OwnAdvice {
    @ExceptionHandler(QueueFullException.class)
    @ResponseStatus(HttpStatus.INSUFFICIENT_STORAGE)
    @ResponseBody
    String full() {
        return "come back tomorrow";
    }
}
