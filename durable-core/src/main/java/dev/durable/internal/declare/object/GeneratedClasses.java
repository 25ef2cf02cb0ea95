package dev.durable.internal.declare.object;

import java.lang.reflect.Proxy;

/**
 * Recognises classes that a library generated at run time, such as Spring proxies and mocks. Registration looks through
 * them to the class behind: proxies of Spring and mocks carry copies of its annotations, which the user did not write
 * there.
 */
public final class GeneratedClasses {
    private GeneratedClasses() {}

    /**
     * Recognises JDK proxies, lambdas, and classes whose names follow CGLIB, Mockito, ByteBuddy, Hibernate, Weld or
     * Quarkus.
     */
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
