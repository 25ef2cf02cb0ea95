package dev.durable.internal.declare.object;

import java.lang.reflect.InvocationHandler;
import java.util.List;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.GeneratorAdapter;
import org.objectweb.asm.commons.Method;

/**
 * Writes the class file of a subclass without constructors, whose methods call the {@link InvocationHandler} in a field of
 * the object:
 *
 * <pre>
 *   class Order$$Durable$1f extends Order {
 *       private static Method[] durable$methods;
 *       private InvocationHandler durable$handler;
 *
 *       public int run(String order) {
 *           return (int) durable$handler.invoke(this, durable$methods[0], new Object[] {order});
 *       }
 *   }
 * </pre>
 */
final class SubclassWriter {
    static final String HANDLER = "durable$handler";
    static final String METHODS = "durable$methods";

    private static final Type OBJECT_TYPE = Type.getType(Object.class);
    private static final Type HANDLER_TYPE = Type.getType(InvocationHandler.class);
    private static final Type METHOD_TYPE = Type.getType(java.lang.reflect.Method.class);
    private static final Type METHODS_TYPE = Type.getType(java.lang.reflect.Method[].class);
    private static final Method INVOKE =
            new Method("invoke", OBJECT_TYPE, new Type[] {OBJECT_TYPE, METHOD_TYPE, Type.getType(Object[].class)});

    private final ClassWriter file = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    private final Type self;

    private SubclassWriter(String name) {
        this.self = Type.getObjectType(name.replace('.', '/'));
    }

    /**
     * @param methods the methods in the order of the array in {@link #METHODS}
     */
    static byte[] write(String name, Class<?> parent, List<Overridden> methods) {
        SubclassWriter writer = new SubclassWriter(name);
        writer.begin(parent);
        for (int i = 0; i < methods.size(); i++) {
            writer.add(methods.get(i), i);
        }
        return writer.file.toByteArray();
    }

    private void begin(Class<?> parent) {
        int flags = Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER | Opcodes.ACC_SYNTHETIC;
        file.visit(Opcodes.V17, flags, self.getInternalName(), null, Type.getInternalName(parent), null);
        file.visitField(Opcodes.ACC_PRIVATE, HANDLER, HANDLER_TYPE.getDescriptor(), null, null)
                .visitEnd();
        file.visitField(Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC, METHODS, METHODS_TYPE.getDescriptor(), null, null)
                .visitEnd();
    }

    private void add(Overridden method, int index) {
        Method written = new Method(method.name(), method.descriptor());
        GeneratorAdapter code = new GeneratorAdapter(Opcodes.ACC_PUBLIC, written, null, null, file);
        code.visitCode();
        if (!method.isFinalizer()) {
            code.loadThis();
            code.getField(self, HANDLER, HANDLER_TYPE);
            code.loadThis();
            code.getStatic(self, METHODS, METHODS_TYPE);
            code.push(index);
            code.arrayLoad(METHOD_TYPE);
            loadArguments(code, written.getArgumentTypes());
            code.invokeInterface(HANDLER_TYPE, INVOKE);
            code.unbox(written.getReturnType());
        }
        code.returnValue();
        code.endMethod();
    }

    /**
     * Loads the arguments, boxed by {@code valueOf}: ASM's own method calls constructors of {@code Integer} and its
     * like, which are to be removed from the JDK.
     */
    private static void loadArguments(GeneratorAdapter code, Type[] types) {
        code.push(types.length);
        code.newArray(OBJECT_TYPE);
        for (int i = 0; i < types.length; i++) {
            code.dup();
            code.push(i);
            code.loadArg(i);
            code.valueOf(types[i]);
            code.arrayStore(OBJECT_TYPE);
        }
    }
}
