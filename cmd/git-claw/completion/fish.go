package completion

import (
	"fmt"
	"slices"
	"strings"
)

const fishHead = `# fish completion for git claw, made by 'git claw generate completion fish'.
# fish completes 'git claw' with what it knows of git-claw.

# the words before the cursor that are neither options nor their values
function __git_claw_words
    set -l skip
    for word in (commandline -opc)[2..-1]
        if set -q skip[1]
            set -e skip
            continue
        end
        switch $word
            case %s
                set skip 1
            case '-*'
            case '*'
                echo $word
        end
    end
end

# are these words all there is? do the words begin with these?
function __git_claw_at
    set -l words (__git_claw_words)
    test "$argv" = "$words"
end
function __git_claw_in
    set -l words (__git_claw_words)
    string match -q -- "$argv *" "$words "
end

complete -c git-claw -f
`

// fish writes one line for each command and option.
func fish(root Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, fishHead, strings.Join(valueOptions(root), " "))
	for _, o := range root.Options {
		fishOption(&b, "", o)
	}
	fishCommands(&b, root, "__git_claw_at")
	var visit func(path string, c Command)
	visit = func(path string, c Command) {
		if c.paths() {
			fmt.Fprintf(&b, "complete -c git-claw -n '__git_claw_in %s' -F\n", path)
		}
		for _, o := range c.Options {
			fishOption(&b, "__git_claw_in "+path, o)
		}
		if c.named() {
			fishCommands(&b, root, "__git_claw_at "+path)
		}
		fishCommands(&b, c, "__git_claw_at "+path)
		for _, sub := range c.Commands {
			visit(path+" "+sub.Name, sub)
		}
	}
	for _, c := range root.Commands {
		visit(c.Name, c)
	}
	return b.String()
}

// valueOptions lists the options of all commands whose value is the next word.
func valueOptions(c Command) []string {
	var out []string
	for _, o := range c.Options {
		if o.Value && !o.Equals {
			out = append(out, o.Names...)
		}
	}
	for _, sub := range c.Commands {
		out = append(out, valueOptions(sub)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func fishCommands(b *strings.Builder, c Command, condition string) {
	for _, sub := range c.Commands {
		fmt.Fprintf(b, "complete -c git-claw -n '%s' -a %s -d '%s'\n", condition, sub.Name, fishText(sub.Summary))
	}
}

func fishOption(b *strings.Builder, condition string, o Option) {
	b.WriteString("complete -c git-claw")
	if condition != "" {
		fmt.Fprintf(b, " -n '%s'", condition)
	}
	for _, name := range o.Names {
		if long, ok := strings.CutPrefix(name, "--"); ok {
			b.WriteString(" -l " + long)
		} else {
			b.WriteString(" -s " + name[1:])
		}
	}
	switch {
	case !o.Value || o.Equals && o.Choices == nil:
	case o.Equals:
		fmt.Fprintf(b, " -a '%s'", strings.Join(o.Choices, " "))
	case o.Choices != nil:
		fmt.Fprintf(b, " -x -a '%s'", strings.Join(o.Choices, " "))
	case o.isPath():
		b.WriteString(" -r -F")
	default:
		b.WriteString(" -x")
	}
	fmt.Fprintf(b, " -d '%s'\n", fishText(o.Summary))
}

func fishText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s)
}
