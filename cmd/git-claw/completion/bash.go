package completion

import (
	"fmt"
	"strings"
)

const bashHead = `# bash completion for git claw, made by 'git claw generate completion bash'.
#
# git's own completion finds _git_claw for 'git claw'; 'git-claw' alone is
# completed here. Words come back with a trailing blank, as git's do.

_git_claw ()
{
	local i=0 word command="" value=""
	while ((i < cword)); do
		word=${words[i]}
		[[ $word == claw || ${word##*/} == git-claw ]] && break
		((i++))
	done
	for ((i++; i < cword; i++)); do
		word=${words[i]}
		if [[ $value ]]; then
			value=""
		elif __git_claw_takes_value "$command" "$word"; then
			value=$word
		elif [[ $word == -- ]]; then
			return
		elif [[ $word != -* && " $(__git_claw_commands "$command") " == *" $word "* ]]; then
			command="${command:+$command }$word"
		fi
	done

	if [[ $value ]]; then
		__git_claw_reply "$(__git_claw_values "$value")" "$cur"
	elif [[ $cur == --*=* ]]; then
		__git_claw_reply "$(__git_claw_values "${cur%%=*}")" "${cur#*=}"
	elif [[ $cur == -* ]]; then
		__git_claw_reply "$(__git_claw_options "$command") $(__git_claw_options "")" "$cur"
	else
		__git_claw_reply "$(__git_claw_commands "$command")" "$cur"
	fi
}

__git_claw_reply ()
{
	local word
	COMPREPLY=()
	for word in $1; do
		[[ $word == "$2"* ]] || continue
		[[ $word == *= ]] || word="$word "
		COMPREPLY+=("$word")
	done
}

__git_claw_alone ()
{
	local cur prev words cword
	if declare -F _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n =: cur prev words cword
	else
		words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]}
	fi
	_git_claw
}

`

// bash writes tables, as functions, below a fixed program.
func bash(root Command) string {
	var commands, options, takes, values []string
	seen := map[string]bool{}
	var visit func(path string, c Command)
	visit = func(path string, c Command) {
		var opts []string
		names := c.commandNames()
		if c.named() {
			names = root.commandNames()
		}
		for _, o := range c.Options {
			for _, name := range o.Names {
				if o.Value && o.Equals {
					opts = append(opts, name+"=")
				} else {
					opts = append(opts, name)
				}
				if o.Value && !o.Equals {
					takes = append(takes, bashTakes(path, name))
				}
				if o.Choices != nil && !seen[name] {
					seen[name] = true
					values = append(values, fmt.Sprintf("\t%s) echo \"%s\" ;;\n", name, strings.Join(o.Choices, " ")))
				}
			}
		}
		if names != nil {
			commands = append(commands, fmt.Sprintf("\t%q) echo \"%s\" ;;\n", path, strings.Join(names, " ")))
		}
		if opts != nil {
			options = append(options, fmt.Sprintf("\t%q) echo \"%s\" ;;\n", path, strings.Join(opts, " ")))
		}
		for _, sub := range c.Commands {
			visit(strings.TrimSpace(path+" "+sub.Name), sub)
		}
	}
	visit("", root)

	var b strings.Builder
	b.WriteString(bashHead)
	table := func(name, comment, word string, lines []string, tail string) {
		fmt.Fprintf(&b, "# %s\n%s ()\n{\n\tcase \"%s\" in\n%s\tesac\n%s}\n\n", comment, name, word, strings.Join(lines, ""), tail)
	}
	table("__git_claw_commands", "the commands below command $1", "$1", commands, "")
	table("__git_claw_options", "the options of command $1", "$1", options, "")
	table("__git_claw_values", "the values of option $1", "$1", values, "")
	table("__git_claw_takes_value", "does option $2 of command $1 take the next word?", "$1:$2", takes, "\treturn 1\n")
	b.WriteString("complete -o bashdefault -o default -o nospace -F __git_claw_alone git-claw\n")
	return b.String()
}

// bashTakes is a case for an option with a value: a global one stands behind
// any command.
func bashTakes(path, name string) string {
	if path == "" {
		return fmt.Sprintf("\t*:%s) return 0 ;;\n", name)
	}
	return fmt.Sprintf("\t%q) return 0 ;;\n", path+":"+name)
}
