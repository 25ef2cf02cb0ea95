package dev.durable.spring.packaging;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.BasicValue;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.SimpleVerifier;
import org.objectweb.asm.tree.analysis.SourceInterpreter;
import org.objectweb.asm.tree.analysis.SourceValue;

/**
 * Finds in byte code where a method is called on an exception that may be the application's: one whose static type is
 * Throwable, Exception, RuntimeException or Error. Asked is its text, too, where it is put into one, and where it is
 * logged, unless what is logged comes from a call that makes it loggable.
 */
final class ForeignThrowables {
    private static final Set<String> ANYBODYS =
            Set.of("java/lang/Throwable", "java/lang/Exception", "java/lang/RuntimeException", "java/lang/Error");
    private static final Set<String> QUESTIONS = Set.of(
            "getMessage",
            "getLocalizedMessage",
            "getCause",
            "getStackTrace",
            "setStackTrace",
            "getSuppressed",
            "printStackTrace",
            "initCause",
            "toString",
            "equals",
            "hashCode");
    private static final Set<String> TEXTS =
            Set.of("java/lang/String.valueOf", "java/util/Objects.toString", "java/lang/StringBuilder.append");
    private static final Set<String> LOGGABLE = Set.of("loggable", "apply");

    private final Set<String> found = new TreeSet<>();

    private ForeignThrowables() {}

    /** Where that is, as {@code class.method}, in all classes beside this one. */
    static Set<String> beside(Class<?> anchor) {
        ForeignThrowables looking = new ForeignThrowables();
        try {
            Path place = Path.of(
                    anchor.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (Files.isDirectory(place)) {
                looking.lookInto(place);
            } else {
                try (FileSystem jar = FileSystems.newFileSystem(place)) {
                    looking.lookInto(jar.getPath("/"));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        return looking.found;
    }

    private void lookInto(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : (Iterable<Path>) files.filter(one -> one.toString().endsWith(".class"))::iterator) {
                ClassNode type = new ClassNode();
                new ClassReader(Files.readAllBytes(file)).accept(type, ClassReader.SKIP_DEBUG);
                for (MethodNode method : type.methods) {
                    try {
                        new Method(type, method).look();
                    } catch (AnalyzerException e) {
                        throw new IllegalStateException(type.name + "." + method.name, e);
                    }
                }
            }
        }
    }

    /** Types of what lies on the stack; those that are not on the class path are no exceptions. */
    private static final class Types extends SimpleVerifier {
        Types() {
            super(Opcodes.ASM9, null, null, null, false);
        }

        @Override
        protected Class<?> getClass(Type type) {
            try {
                return super.getClass(type);
            } catch (TypeNotPresentException | LinkageError e) {
                return Object.class;
            }
        }

        @Override
        protected boolean isSubTypeOf(BasicValue value, BasicValue expected) {
            return true;
        }
    }

    private final class Method {
        private final ClassNode type;
        private final MethodNode method;
        private final Frame<BasicValue>[] types;
        private final Frame<SourceValue>[] sources;

        Method(ClassNode type, MethodNode method) throws AnalyzerException {
            this.type = type;
            this.method = method;
            this.types = new Analyzer<>(new Types()).analyze(type.name, method);
            this.sources = new Analyzer<>(new SourceInterpreter()).analyze(type.name, method);
        }

        void look() {
            for (int at = 0; at < types.length; at++) {
                AbstractInsnNode instruction = method.instructions.get(at);
                if (types[at] != null && asks(instruction, types[at], sources[at])) {
                    found.add(type.name.replaceFirst(".*/", "") + "." + name());
                }
            }
        }

        /** Of a lambda, the name of the method that it stands in. */
        private String name() {
            return method.name.replaceFirst("^lambda\\$(.+)\\$\\d+$", "$1");
        }

        private boolean asks(AbstractInsnNode instruction, Frame<BasicValue> types, Frame<SourceValue> sources) {
            if (instruction instanceof MethodInsnNode call) {
                return ANYBODYS.contains(call.owner)
                                && QUESTIONS.contains(call.name)
                                && call.getOpcode() != Opcodes.INVOKESPECIAL
                        || handsOn(call, types, sources);
            }
            if (instruction instanceof InvokeDynamicInsnNode dynamic) {
                return isText(dynamic) || isReference(dynamic);
            }
            return instruction.getOpcode() == Opcodes.AASTORE
                    && isAnybodys(types.getStack(types.getStackSize() - 1))
                    && !isLoggable(sources.getStack(sources.getStackSize() - 1));
        }

        private boolean handsOn(MethodInsnNode call, Frame<BasicValue> types, Frame<SourceValue> sources) {
            int arguments = Type.getArgumentCount(call.desc);
            boolean asText = TEXTS.contains(call.owner + "." + call.name)
                    || call.owner.startsWith("java/")
                            && call.name.equals("<init>")
                            && call.desc.equals("(Ljava/lang/Throwable;)V");
            for (int i = types.getStackSize() - arguments; i < types.getStackSize(); i++) {
                if (isAnybodys(types.getStack(i))
                        && (asText || call.owner.startsWith("org/slf4j/") && !isLoggable(sources.getStack(i)))) {
                    return true;
                }
            }
            return false;
        }

        private static boolean isText(InvokeDynamicInsnNode dynamic) {
            return dynamic.name.equals("makeConcatWithConstants")
                    && Stream.of(Type.getArgumentTypes(dynamic.desc))
                            .anyMatch(each -> ANYBODYS.contains(each.getInternalName()));
        }

        private static boolean isReference(InvokeDynamicInsnNode dynamic) {
            return Stream.of(dynamic.bsmArgs)
                    .anyMatch(each -> each instanceof Handle handle
                            && ANYBODYS.contains(handle.getOwner())
                            && QUESTIONS.contains(handle.getName()));
        }

        private static boolean isAnybodys(BasicValue value) {
            return value.getType() != null && ANYBODYS.contains(value.getType().getInternalName());
        }

        /** Made by a call that makes exceptions loggable, or nothing. */
        private static boolean isLoggable(SourceValue value) {
            return value.insns.stream().allMatch(made -> {
                AbstractInsnNode by = made.getOpcode() == Opcodes.CHECKCAST ? made.getPrevious() : made;
                return by.getOpcode() == Opcodes.ACONST_NULL
                        || by instanceof MethodInsnNode call && LOGGABLE.contains(call.name);
            });
        }
    }
}
