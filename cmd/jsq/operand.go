package main

import "strings"

// operands names the flag that takes the value of a command's one operand:
// jsq merge DIR is jsq merge --in DIR.
var operands = map[string]string{}

// withOperand puts the flag's name before an operand.
func (f *flags) withOperand(args []string) []string {
	name, ok := operands[f.cmd.name]
	if !ok {
		return args
	}
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch word := strings.TrimLeft(arg, "-"); {
		case arg == "--":
			for _, arg := range args[i+1:] {
				out = append(out, "--"+name, arg)
			}
			return out
		case word == arg || arg == "-":
			out = append(out, "--"+name, arg)
		default:
			out = append(out, arg)
			if v := f.values[word]; v != nil && !v.isBool && i+1 < len(args) {
				i++
				out = append(out, args[i])
			}
		}
	}
	return out
}
