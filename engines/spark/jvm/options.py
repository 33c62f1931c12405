"""The options of Spark's JVM that do not depend on the run."""

from __future__ import annotations

#: The packages of the JDK that Spark opens (org.apache.spark.launcher.JavaModuleOptions, Spark 3.4 to 4.2).
_OPENED = (
    *("java.base/" + package for package in (
        "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util",
        "java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs",
        "sun.security.action", "sun.util.calendar",
    )),
    "java.security.jgss/sun.security.krb5",
)  # fmt: skip

#: Since Java 23. Without the first, Arrow's allocator, which every read uses, does not load on Java 24 and newer.
_SINCE_23 = ("--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED")


def jvm_options(release: int, *, heap: str) -> tuple[str, ...]:
    """For a Java of this release."""
    return (
        "-XX:+IgnoreUnrecognizedVMOptions",
        f"-Xmx{heap}",
        "-XX:+UseSerialGC",
        "-XX:-UsePerfData",
        *(f"--add-opens={package}=ALL-UNNAMED" for package in _OPENED),
        *(_SINCE_23 if release >= 23 else ()),
        "-Djdk.reflect.useDirectMethodHandle=false",
        "-Dio.netty.tryReflectionSetAccessible=true",
    )
