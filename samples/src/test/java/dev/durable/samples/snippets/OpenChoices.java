package dev.durable.samples.snippets;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.BindingPatternTree;
import com.sun.source.tree.CaseLabelTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConstantCaseLabelTree;
import com.sun.source.tree.DeconstructionPatternTree;
import com.sun.source.tree.DefaultCaseLabelTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.InstanceOfTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.PatternCaseLabelTree;
import com.sun.source.tree.PatternTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Finds where the main code of all published modules tells constants of its own enums, or types of its own sealed families, apart and
 * leaves the rest to a {@code default}, to the other side of {@code ==} or {@code !=}, or to the end of a chain of {@code
 * instanceof}: there the compiler does not notice a new one. Sources are parsed, not compiled, so names are simple names.
 * The file that declares an enum is left out, as it is open before whoever adds a constant.
 */
final class OpenChoices {
    /** The constants of an enum, or the types of a sealed family, by its simple name. */
    private final Map<String, Set<String>> enums = new HashMap<>();

    private final Map<String, Set<String>> families = new HashMap<>();
    private final Set<String> found = new TreeSet<>();

    private OpenChoices() {}

    /** Each as the name of its file and what it singles out: {@code Deliveries: MessageKind.CANCEL}. */
    static Set<String> inMainCode() throws IOException {
        OpenChoices choices = new OpenChoices();
        List<CompilationUnitTree> units = parsed(mainSources());
        units.forEach(unit -> unit.accept(choices.new Declarations(unit), null));
        units.forEach(unit -> unit.accept(choices.new Choices(unit), null));
        return choices.found;
    }

    private static List<CompilationUnitTree> parsed(List<Path> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, files, null, List.of("-proc:none"), null, files.getJavaFileObjectsFromPaths(sources));
            List<CompilationUnitTree> units = new ArrayList<>();
            task.parse().forEach(units::add);
            return units;
        }
    }

    private static List<Path> mainSources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (DirectoryStream<Path> modules = Files.newDirectoryStream(Documents.ROOT, "durable-*")) {
            for (Path module : modules) {
                Path main = module.resolve("src/main/java");
                if (Files.exists(main)) {
                    try (Stream<Path> files = Files.walk(main)) {
                        files.filter(file -> file.toString().endsWith(".java"))
                                .filter(file -> !file.toString().contains("/jooq/"))
                                .forEach(sources::add);
                    }
                }
            }
        }
        return sources;
    }

    private static String simpleName(Tree type) {
        return switch (type) {
            case MemberSelectTree select -> select.getIdentifier().toString();
            case IdentifierTree identifier -> identifier.getName().toString();
            default -> type.toString().replaceFirst("<.*", "");
        };
    }

    private final class Declarations extends TreeScanner<Void, Void> {
        private final CompilationUnitTree unit;

        Declarations(CompilationUnitTree unit) {
            this.unit = unit;
        }

        @Override
        public Void visitClass(ClassTree type, Void none) {
            String name = type.getSimpleName().toString();
            if (type.getKind() == Tree.Kind.ENUM) {
                type.getMembers().stream()
                        .filter(member -> member instanceof VariableTree constant
                                && constant.getInitializer() instanceof NewClassTree
                                && name.equals(String.valueOf(constant.getType())))
                        .map(member -> ((VariableTree) member).getName().toString())
                        .forEach(enums.computeIfAbsent(name, ignored -> new HashSet<>())::add);
            } else if (type.getModifiers().getFlags().contains(Modifier.SEALED)) {
                Set<String> members = families.computeIfAbsent(name, ignored -> new HashSet<>());
                type.getPermitsClause().forEach(permitted -> members.add(simpleName(permitted)));
                if (type.getPermitsClause().isEmpty()) {
                    unit.accept(new Subtypes(name, members), null);
                }
            }
            return super.visitClass(type, null);
        }
    }

    /** The types of a file that extend or implement one of it. */
    private static final class Subtypes extends TreeScanner<Void, Void> {
        private final String parent;
        private final Set<String> members;

        Subtypes(String parent, Set<String> members) {
            this.parent = parent;
            this.members = members;
        }

        @Override
        public Void visitClass(ClassTree type, Void none) {
            Stream<Tree> parents =
                    Stream.concat(Stream.ofNullable(type.getExtendsClause()), type.getImplementsClause().stream());
            if (parents.map(OpenChoices::simpleName).anyMatch(parent::equals)) {
                members.add(type.getSimpleName().toString());
            }
            return super.visitClass(type, null);
        }
    }

    private final class Choices extends TreeScanner<Void, Void> {
        private final String file;
        private final Set<String> declaredHere = new HashSet<>();

        Choices(CompilationUnitTree unit) {
            file = Path.of(unit.getSourceFile().getName())
                    .getFileName()
                    .toString()
                    .replace(".java", "");
            unit.accept(
                    new TreeScanner<Void, Void>() {
                        @Override
                        public Void visitClass(ClassTree type, Void none) {
                            declaredHere.add(type.getSimpleName().toString());
                            return super.visitClass(type, null);
                        }
                    },
                    null);
        }

        @Override
        public Void visitSwitch(SwitchTree choice, Void none) {
            look(choice.getCases());
            return super.visitSwitch(choice, null);
        }

        @Override
        public Void visitSwitchExpression(SwitchExpressionTree choice, Void none) {
            look(choice.getCases());
            return super.visitSwitchExpression(choice, null);
        }

        private void look(List<? extends CaseTree> cases) {
            List<CaseLabelTree> labels = cases.stream()
                    .<CaseLabelTree>flatMap(one -> one.getLabels().stream())
                    .toList();
            if (labels.stream().anyMatch(DefaultCaseLabelTree.class::isInstance)) {
                Set<String> names = labels.stream().flatMap(this::names).collect(Collectors.toSet());
                owners(enums, names).forEach(owner -> found.add(file + ": default of " + owner));
                owners(families, names).forEach(owner -> found.add(file + ": default of " + owner));
            }
        }

        private Stream<String> names(CaseLabelTree label) {
            return switch (label) {
                case ConstantCaseLabelTree constant -> Stream.of(simpleName(constant.getConstantExpression()));
                case PatternCaseLabelTree pattern -> Stream.of(type(pattern.getPattern()));
                default -> Stream.empty();
            };
        }

        private static String type(PatternTree pattern) {
            return switch (pattern) {
                case BindingPatternTree binding ->
                    simpleName(binding.getVariable().getType());
                case DeconstructionPatternTree record -> simpleName(record.getDeconstructor());
                default -> pattern.toString();
            };
        }

        private static Stream<String> owners(Map<String, Set<String>> all, Set<String> names) {
            return names.isEmpty()
                    ? Stream.empty()
                    : all.entrySet().stream()
                            .filter(owner -> owner.getValue().containsAll(names))
                            .map(Map.Entry::getKey);
        }

        @Override
        public Void visitBinary(BinaryTree binary, Void none) {
            switch (binary.getKind()) {
                case EQUAL_TO, NOT_EQUAL_TO ->
                    Stream.of(binary.getLeftOperand(), binary.getRightOperand())
                            .filter(MemberSelectTree.class::isInstance)
                            .map(MemberSelectTree.class::cast)
                            .forEach(this::compared);
                case CONDITIONAL_OR -> chained(types(binary.getLeftOperand()), types(binary.getRightOperand()));
                default -> {}
            }
            return super.visitBinary(binary, null);
        }

        private void compared(MemberSelectTree constant) {
            String owner = simpleName(constant.getExpression());
            String name = constant.getIdentifier().toString();
            if (enums.getOrDefault(owner, Set.of()).contains(name) && !declaredHere.contains(owner)) {
                found.add(file + ": " + owner + "." + name);
            }
        }

        @Override
        public Void visitIf(IfTree choice, Void none) {
            if (choice.getElseStatement() instanceof IfTree next) {
                chained(types(choice.getCondition()), types(next.getCondition()));
            }
            return super.visitIf(choice, null);
        }

        /** Of the left the last, of the right the first: two that follow each other in a chain. */
        private void chained(List<String> left, List<String> right) {
            if (!left.isEmpty() && !right.isEmpty() && !left.getLast().equals(right.getFirst())) {
                owners(families, Set.of(left.getLast(), right.getFirst()))
                        .forEach(owner -> found.add(file + ": instanceof of " + owner));
            }
        }

        private static List<String> types(Tree condition) {
            List<String> types = new ArrayList<>();
            condition.accept(
                    new TreeScanner<Void, Void>() {
                        @Override
                        public Void visitInstanceOf(InstanceOfTree question, Void none) {
                            types.add(simpleName(
                                    question.getPattern() instanceof BindingPatternTree binding
                                            ? binding.getVariable().getType()
                                            : question.getType()));
                            return super.visitInstanceOf(question, null);
                        }
                    },
                    null);
            return types;
        }
    }
}
