package dev.durable.internal.declare.object;

import java.lang.reflect.Proxy;

/**
 * Recognises classes that a library generated at run time, such as Spring proxies and mocks. Registration looks through
 * them: proxies of Spring and mocks carry copies of the annotations of what they stand for, which nobody wrote there.
 */
public final class GeneratedClasses {
    private GeneratedClasses() {}

    /** JDK proxies, lambdas, and what follows the naming of CGLIB, Mockito, ByteBuddy, Hibernate, Weld, Quarkus. */
    public static boolean isGenerated(Class<?> type) {
        String name = type.getName();
        return Proxy.isProxyClass(type)
                || type.isHidden()
                || type.isSynthetic()
                || name.contains("$$")
                || name.contains("$MockitoMock$")
                || name.contains("$ByteBuddy$")
                || name.endsWith("_ClientProxy")
                || name.endsWith("_Subclass");
    }
}
