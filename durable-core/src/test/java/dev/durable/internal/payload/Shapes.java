package dev.durable.internal.payload;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** The kinds of types that people pass around. */
final class Shapes {
    private Shapes() {}

    record Money(BigDecimal amount, String currency) {}

    record Line(String sku, int count, Money price, Optional<String> note) {}

    record Order(UUID id, List<Line> lines, Map<Color, List<Money>> byColor) {}

    record Page<T>(List<T> items, T first, Map<String, T> named) {}

    record Empty() {}

    enum Color {
        RED,
        GREEN {
            @Override
            public String toString() {
                return "as the grass";
            }
        }
    }

    /** Sealed, without any annotation. */
    sealed interface Shape permits Circle, Square, Group, Unit {}

    record Circle(double radius) implements Shape {}

    record Square(double side) implements Shape {}

    record Group(String name, List<Shape> members) implements Shape {}

    enum Unit implements Shape {
        NOTHING,
        EVERYTHING
    }

    sealed interface Result<T> {
        record Ok<T>(T value) implements Result<T> {}

        record Err<T>(String reason) implements Result<T> {}
    }

    /** Open, generic, with a public field. */
    static class Box<T> {
        public T content;

        static <T> Box<T> of(T content) {
            Box<T> box = new Box<>();
            box.content = content;
            return box;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Box<?> box && Objects.equals(box.content, content);
        }

        @Override
        public int hashCode() {
            return Objects.hashCode(content);
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Dog.class, name = "dog"),
        @JsonSubTypes.Type(value = Cat.class, name = "cat")
    })
    interface Animal {}

    record Dog(String name, boolean barks) implements Animal {}

    record Cat(int lives) implements Animal {}

    static class Base {
        public String name = "";

        @Override
        @SuppressWarnings("EqualsGetClass") // that is the point of it
        public boolean equals(Object other) {
            return other != null && other.getClass() == getClass() && ((Base) other).name.equals(name);
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }
    }

    static final class Derived extends Base {
        public int extra;
    }

    /** A Java bean with a private constructor. */
    static final class Bean {
        private String text;
        private long number;

        private Bean() {}

        static Bean of(String text, long number) {
            Bean bean = new Bean();
            bean.text = text;
            bean.number = number;
            return bean;
        }

        public String getText() {
            return text;
        }

        public void setText(String text) {
            this.text = text;
        }

        public long getNumber() {
            return number;
        }

        public void setNumber(long number) {
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Bean bean && Objects.equals(bean.text, text) && bean.number == number;
        }

        @Override
        public int hashCode() {
            return Objects.hash(text, number);
        }
    }

    /** Immutable, with getters and one constructor. */
    static final class Point {
        private final int x;
        private final int y;

        public Point(int x, int y) {
            this.x = x;
            this.y = y;
        }

        public int getX() {
            return x;
        }

        public int getY() {
            return y;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Point point && point.x == x && point.y == y;
        }

        @Override
        public int hashCode() {
            return Objects.hash(x, y);
        }
    }

    /** A value class with its own text. */
    static class Code {
        private final String text;

        private Code(String text) {
            this.text = text;
        }

        @JsonCreator
        static Code of(String text) {
            return new Code(text);
        }

        @JsonValue
        String text() {
            return text;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Code code && code.text.equals(text);
        }

        @Override
        public int hashCode() {
            return text.hashCode();
        }
    }

    private record Hidden(int a) {}

    static Object hidden() {
        return new Hidden(3);
    }
}
