package completion

import (
	"fmt"
	"strings"
)

// zsh writes the body of an autoloaded function: 'compinit' runs it for
// git-claw, and zsh's completion of git for 'git claw'.
func zsh(root Command) string {
	var b strings.Builder
	b.WriteString("#compdef git-claw\n#description " + root.Summary + "\n")
	b.WriteString("# made by 'git claw generate completion zsh'\n\n")
	b.WriteString("local curcontext=$curcontext state line ret=1\nlocal -A opt_args\nlocal -a global commands\n\n")
	b.WriteString("global=(\n" + zshOptions(root.Options, "  ") + ")\n\n")
	b.WriteString("_arguments -C -s -S $global '1: :->command' '*:: :->argument' && ret=0\n\n")
	b.WriteString("case $state in\n  command)\n")
	zshCommands(&b, root, "    ", "git claw command")
	b.WriteString("    ;;\n  argument)\n    curcontext=${curcontext%:*:*}:git-claw-$words[1]:\n    case $words[1] in\n")
	for _, c := range root.Commands {
		fmt.Fprintf(&b, "      %s)\n", c.Name)
		zshArguments(&b, root, c, "        ")
		b.WriteString("        ;;\n")
	}
	b.WriteString("    esac\n    ;;\nesac\n\nreturn ret\n")
	return b.String()
}

// zshArguments completes behind a command, or behind a subcommand of it.
func zshArguments(b *strings.Builder, root, c Command, indent string) {
	fmt.Fprintf(b, "%s_arguments -C -s -S $global \\\n%s", indent, zshContinued(c.Options, indent+"  "))
	switch {
	case len(c.Commands) > 0:
		fmt.Fprintf(b, "%s  '1: :->sub' '*:: :->subargument' && ret=0\n", indent)
		fmt.Fprintf(b, "%scase $state in\n%s  sub)\n", indent, indent)
		zshCommands(b, c, indent+"    ", "subcommand")
		fmt.Fprintf(b, "%s    ;;\n%s  subargument)\n%s    case $words[1] in\n", indent, indent, indent)
		for _, sub := range c.Commands {
			fmt.Fprintf(b, "%s      %s)\n", indent, sub.Name)
			zshArguments(b, root, sub, indent+"        ")
			fmt.Fprintf(b, "%s        ;;\n", indent)
		}
		fmt.Fprintf(b, "%s    esac\n%s    ;;\n%sesac\n", indent, indent, indent)
	case c.named():
		fmt.Fprintf(b, "%s  '1:command:(%s)' && ret=0\n", indent, strings.Join(root.commandNames(), " "))
	case c.paths():
		fmt.Fprintf(b, "%s  '*: :_files' && ret=0\n", indent)
	case c.Arguments != "":
		fmt.Fprintf(b, "%s  '*:%s: ' && ret=0\n", indent, zshText(strings.Trim(c.Arguments, "[]")))
	default:
		fmt.Fprintf(b, "%s  && ret=0\n", indent)
	}
}

func zshCommands(b *strings.Builder, c Command, indent, what string) {
	fmt.Fprintf(b, "%scommands=(\n", indent)
	for _, sub := range c.Commands {
		fmt.Fprintf(b, "%s  '%s:%s'\n", indent, sub.Name, zshText(sub.Summary))
	}
	fmt.Fprintf(b, "%s)\n%s_describe -t commands '%s' commands && ret=0\n", indent, indent, what)
}

func zshOptions(options []Option, indent string) string {
	var b strings.Builder
	for _, o := range options {
		b.WriteString(indent + zshOption(o) + "\n")
	}
	return b.String()
}

func zshContinued(options []Option, indent string) string {
	return strings.ReplaceAll(zshOptions(options, indent), "\n", " \\\n")
}

// zshOption is one specification for _arguments.
func zshOption(o Option) string {
	sign := ""
	if o.Value && o.Equals {
		sign = "=-"
	}
	tail := "[" + zshText(o.Summary) + "]"
	switch {
	case !o.Value:
	case o.Choices != nil:
		tail += ":value:(" + strings.Join(o.Choices, " ") + ")"
	case o.isPath():
		tail += ":directory:_files -/"
	default:
		tail += ":value: "
	}
	if len(o.Names) == 1 {
		return "'" + o.Names[0] + sign + tail + "'"
	}
	return fmt.Sprintf("'(%s)'{%s}'%s'", strings.Join(o.Names, " "), strings.Join(o.Names, ","), tail)
}

// zshText quotes a text inside single quotes and specifications.
func zshText(s string) string {
	return strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(s)
}
