package check

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"
)

// slip is what is said to a slip of Go: an idea that is right, in code that
// computes something else.
type slip string

const (
	slipDivision slip = "in Go a division of whole numbers drops the rest, so that 1/2 is 0 and 3/2 is 1: write 1.0/2, or convert to float64 first"
	slipZero     slip = "the result is 0 for every input: in Go 1/2 is 0, and := inside a block makes a new variable"
	slipWhole    slip = "all results are whole numbers: in Go 1/2 is 0, and int(x) drops what is behind the point"
	slipXor      slip = "in Go ^ is the exclusive or of bits, so that 2^3 is 1: for a power write x*x, or call math.Pow"
	slipInt      slip = "int(x) drops what is behind the point: stay with float64"
	slipOrder    slip = "look at the parentheses: * and / come before + and -, and go from left to right, so that a/2*b is a*b/2"
	slipPow      slip = "math.Pow(x, y) is x to the power y, not y to the power x"
	slipLog      slip = "math.Log is the natural logarithm; math.Log10 and math.Log2 have another base"
	slipPlace    slip = "range gives the place first and the value second: for i, x := range"
	slipFirst    slip = "the first entry is left out: where does your loop begin?"
	slipLast     slip = "the last entry is left out: where does your loop end?"
	slipGrown    slip = "append puts its entries behind those that make has set to 0"
)

// vanishes reports whether the slip makes terms of a formula zero. It then looks
// like a mistake about the subject, and both are said.
func (s slip) vanishes() bool { return s == slipDivision || s == slipZero }

// both says what was missed, and the slip of Go that gives the same number.
func both(idea string, hint slip) string {
	if hint == "" {
		return idea
	}
	return idea + "; if that is not it: " + string(hint)
}

// grown is the end of a message about a slice of got entries in place of want.
func grown(got, want int) string {
	switch got {
	case 2 * want:
		return ": " + string(slipGrown)
	case want - 1:
		return ": does your loop begin or end too early?"
	}
	return ""
}

// plain names a slip that the results show by themselves, whatever the answer.
func plain(got, want []float64) slip {
	isWhole := func(x float64) bool { return x == math.Trunc(x) }
	every := func(f func(k int) bool) bool {
		for k := range got {
			if !f(k) {
				return false
			}
		}
		return true
	}
	switch {
	case every(func(k int) bool { return isWhole(want[k]) }): // whole numbers are asked for
		return ""
	case every(func(k int) bool { return got[k] == 0 }):
		return slipZero
	case every(func(k int) bool { return got[k] == math.Trunc(want[k]) }):
		return slipInt
	case every(func(k int) bool { return isWhole(got[k]) }) && !every(func(k int) bool { return got[k] == got[0] }):
		return slipWhole
	}
	return ""
}

// slips are what code computes that was meant to be one of the spellings of the
// right answer. A spelling is an expression of Go with the names of math in
// lower case, sq(x) for the square, iff(x < y, a, b), and / for division of real
// numbers. values gives its variables; those in ints are whole numbers in Go, too.
func slips[In any](ints string, values func(In) map[string]float64, spellings ...string) (list mistakes[In]) {
	for _, r := range readings(strings.Fields(ints), spellings) {
		list = append(list, mistake[In]{func(x In) float64 { return eval(r.expr, values(x)) }, r.says})
	}
	return list
}

// divided names the division of whole numbers that makes got of one of the
// spellings of a number, or returns "".
func divided(got float64, spellings ...string) slip {
	for _, r := range readings(nil, spellings) {
		if r.says == slipDivision && agrees(got, eval(r.expr, nil), 1e-9) {
			return slipDivision
		}
	}
	return ""
}

// looped are the slips of a loop over the slices of an input, in an answer that
// is right otherwise. with puts f of a slice in the place of it.
func looped[In, T any](right func(In) float64, number func(i int) T, with func(x In, f func([]T) []T) In) (list mistakes[In]) {
	for _, m := range []struct {
		f    func([]T)
		says slip
	}{
		{func(x []T) {
			for i := range x {
				x[i] = number(i)
			}
		}, slipPlace},
		{func(x []T) { x[0] = number(0) }, slipFirst},
		{func(x []T) { x[len(x)-1] = number(0) }, slipLast},
	} {
		list = append(list, mistake[In]{func(x In) float64 {
			return right(with(x, func(y []T) []T { y = slices.Clone(y); m.f(y); return y }))
		}, m.says})
	}
	return list
}

func places(i int) int64 { return int64(i) }

// reading is an expression that Go, or a hasty author, has made of another one.
type reading struct {
	expr ast.Expr
	says slip
}

// readings returns the expressions that slips turn the spellings into, those with
// a division of whole numbers first.
func readings(ints []string, spellings []string) (list []reading) {
	for _, s := range spellings {
		list = append(list, misread(ints, s)...)
	}
	kind := func(r reading) int {
		if r.says == slipDivision {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b reading) int { return kind(a) - kind(b) })
	return list
}

// misread returns the expressions that one slip turns the spelling into, or one
// kind of slip in all of its places.
func misread(ints []string, spelling string) (list []reading) {
	right, err := parser.ParseExpr(spelling)
	if err != nil {
		panic(err)
	}
	p := printer{ints: ints}
	add := func(text string, says slip) {
		if e, err := parser.ParseExpr(text); err == nil && p.compiles(e) {
			list = append(list, reading{e, says})
		}
	}
	// wholly adds the text with each product divided as whole numbers: 1 by the denominators, or all that is above them
	wholly := func(text string, says slip) {
		e, err := parser.ParseExpr(text)
		if err != nil {
			return
		}
		for _, above := range []uint{0, math.MaxUint} {
			p := printer{ints: ints, all: true, above: above, below: math.MaxUint}
			add(p.text(e), says)
		}
	}
	wholly(spelling, slipDivision)
	for _, n := range nodes(right) {
		if chain, ok := n.(*ast.BinaryExpr); ok && (chain.Op == token.MUL || chain.Op == token.QUO) {
			above, below := factors(chain)
			for a := range uint(1) << len(above) {
				for b := range uint(1) << len(below) {
					add(printer{ints: ints, chain: chain, above: a, below: b}.text(right), slipDivision)
				}
			}
		}
	}
	add(strings.ReplaceAll(spelling, "sqrt(", "one("), slipDivision) // math.Pow(x, 1/2)
	for _, form := range []string{"xor", "(xor)"} {
		text := printer{ints: ints, power: form}.text(right)
		add(text, slipXor)
		wholly(text, slipXor)
	}
	at := func(n ast.Node) (from, to int) { return int(n.Pos()) - 1, int(n.End()) - 1 }
	var twice []string
	early := func(in ast.Expr, end int) { // the parenthesis that ends at end is closed before the last operator
		if b, ok := in.(*ast.BinaryExpr); ok {
			_, x := at(b.X)
			add(spelling[:x]+")"+spelling[x:end-1]+spelling[end:], slipOrder)
		}
	}
	for _, n := range nodes(right) {
		from, to := at(n)
		if paren, ok := n.(*ast.ParenExpr); ok {
			text := spelling[:from] + spelling[from+1:to-1] + spelling[to:]
			add(text, slipOrder)
			twice = append(twice, text)
			early(paren.X, to)
		}
		if call, ok := n.(*ast.CallExpr); ok {
			early(call.Args[len(call.Args)-1], to)
		}
		if id, ok := n.(*ast.Ident); ok && !p.whole(n) {
			add(printer{ints: ints, cut: id.Name}.text(right), slipInt)
		}
		if !p.whole(n) {
			add(spelling[:from]+"trunc("+spelling[from:to]+")"+spelling[to:], slipInt)
		}
	}
	if strings.Contains(spelling, "pow(") {
		add(printer{ints: ints, swap: true}.text(right), slipPow)
	}
	add(strings.ReplaceAll(spelling, "log(", "log10("), slipLog)
	add(strings.ReplaceAll(spelling, "log(", "log2("), slipLog)
	add(printer{ints: ints, bare: true}.text(right), slipOrder)
	for _, text := range twice { // a pair of parentheses is gone, and whole numbers are divided
		wholly(text, slipOrder)
	}
	return list
}

// nodes returns e and the expressions in it, without the names of functions.
func nodes(e ast.Expr) (list []ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			list = append(list, n)
			for _, a := range n.Args {
				list = append(list, nodes(a)...)
			}
			return false
		case ast.Expr:
			list = append(list, n)
		}
		return true
	})
	return list
}

func name(call *ast.CallExpr) string { return call.Fun.(*ast.Ident).Name }

// factors returns what is multiplied in e, and what e is divided by.
func factors(e ast.Expr) (above, below []ast.Expr) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		if b, ok := x.X.(*ast.BinaryExpr); ok && (b.Op == token.MUL || b.Op == token.QUO) {
			return factors(b)
		}
	case *ast.BinaryExpr:
		if x.Op != token.MUL && x.Op != token.QUO {
			break
		}
		above, below = factors(x.X)
		up, down := factors(x.Y)
		if x.Op == token.QUO {
			up, down = down, up
		}
		return append(above, up...), append(below, down...)
	}
	return []ast.Expr{e}, nil
}

// printer writes an expression down again, with slips in it.
type printer struct {
	ints         []string // the names of whole numbers
	chain        ast.Expr // the product in which whole numbers are divided as such,
	all          bool     // or every product
	above, below uint     // and the factors for which that is done, as sets
	power        string   // how powers are written
	cut          string   // the name of a variable that is cut down to a whole number
	bare         bool     // no parentheses
	swap         bool     // the arguments of pow
}

func (p printer) text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		if e.Name == p.cut {
			return "trunc(" + e.Name + ")"
		}
		return e.Name
	case *ast.BasicLit:
		return e.Value
	case *ast.ParenExpr:
		if p.bare {
			return p.text(e.X)
		}
		return "(" + p.text(e.X) + ")"
	case *ast.UnaryExpr:
		return e.Op.String() + p.text(e.X)
	case *ast.CallExpr:
		var args []string
		for _, a := range e.Args {
			args = append(args, p.text(a))
		}
		if f := name(e); p.power != "" && (f == "sq" || f == "pow") {
			x := args[0]
			if _, ok := e.Args[0].(*ast.Ident); !ok {
				x = "(" + x + ")"
			}
			if len(args) == 1 {
				args = append(args, "2")
			}
			return strings.Replace(p.power, "xor", x+"^"+args[1], 1)
		}
		if p.swap && name(e) == "pow" {
			slices.Reverse(args)
		}
		return name(e) + "(" + strings.Join(args, ", ") + ")"
	}
	b := e.(*ast.BinaryExpr)
	if (b.Op == token.MUL || b.Op == token.QUO) && (p.all || p.chain == e) {
		return p.product(b)
	}
	return p.text(b.X) + " " + b.Op.String() + " " + p.text(b.Y)
}

// product writes a product in which some whole numbers are divided as such.
func (p printer) product(e ast.Expr) string {
	over, under := factors(e)
	split := func(list []ast.Expr, set uint) (in, rest string) {
		in, rest = "1", "1"
		for i, x := range list {
			if set>>i&1 == 1 && p.whole(x) {
				in += "*(" + p.text(x) + ")"
			} else {
				rest += "*(" + p.text(x) + ")"
			}
		}
		return in, rest
	}
	a, up := split(over, p.above)
	b, down := split(under, p.below)
	return "(quo(" + a + ", " + b + ")*(" + up + ")/(" + down + "))"
}

// whole reports whether e is a whole number for Go.
func (p printer) whole(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return slices.Contains(p.ints, e.Name)
	case *ast.BasicLit:
		return e.Kind == token.INT
	case *ast.ParenExpr:
		return p.whole(e.X)
	case *ast.UnaryExpr:
		return p.whole(e.X)
	case *ast.BinaryExpr:
		return e.Op != token.QUO && p.whole(e.X) && p.whole(e.Y)
	case *ast.CallExpr:
		return name(e) == "quo" || name(e) == "sq" && p.whole(e.Args[0])
	}
	return false
}

// compiles reports whether each ^ of e is between whole numbers.
func (p printer) compiles(e ast.Expr) bool {
	return !slices.ContainsFunc(nodes(e), func(n ast.Expr) bool {
		b, ok := n.(*ast.BinaryExpr)
		return ok && b.Op == token.XOR && !(p.whole(b.X) && p.whole(b.Y))
	})
}

// eval returns the value of an expression.
func eval(e ast.Expr, v map[string]float64) float64 {
	switch e := e.(type) {
	case *ast.Ident:
		x, ok := v[e.Name]
		if !ok {
			panic("no value of " + e.Name)
		}
		return x
	case *ast.BasicLit:
		x, err := strconv.ParseFloat(e.Value, 64)
		if err != nil {
			panic(err)
		}
		return x
	case *ast.ParenExpr:
		return eval(e.X, v)
	case *ast.UnaryExpr: // a minus
		return -eval(e.X, v)
	case *ast.CallExpr:
		var x []float64
		for _, a := range e.Args {
			x = append(x, eval(a, v))
		}
		return functions[name(e)](x)
	}
	b := e.(*ast.BinaryExpr)
	x, y := eval(b.X, v), eval(b.Y, v)
	switch b.Op {
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	case token.MUL:
		return x * y
	case token.QUO:
		return x / y
	case token.XOR:
		return float64(int64(x) ^ int64(y))
	case token.LSS:
		if x < y {
			return 1
		}
		return 0
	}
	panic("no operator " + b.Op.String())
}

var functions = map[string]func(x []float64) float64{
	"abs": one(math.Abs), "ceil": one(math.Ceil), "exp": one(math.Exp), "expm1": one(math.Expm1), "floor": one(math.Floor),
	"log": one(math.Log), "log10": one(math.Log10), "log1p": one(math.Log1p), "log2": one(math.Log2), "sqrt": one(math.Sqrt),
	"trunc":     one(math.Trunc),
	"sq":        one(func(x float64) float64 { return x * x }),
	"factorial": one(func(x float64) float64 { return math.Gamma(x + 1) }),
	"one":       one(func(float64) float64 { return 1 }),
	"lgamma":    one(func(x float64) float64 { y, _ := math.Lgamma(x); return y }),
	"max":       func(x []float64) float64 { return max(x[0], x[1]) },
	"min":       func(x []float64) float64 { return min(x[0], x[1]) },
	"pow":       func(x []float64) float64 { return math.Pow(x[0], x[1]) },
	"quo":       func(x []float64) float64 { return math.Trunc(x[0] / x[1]) },
	"iff": func(x []float64) float64 {
		if x[0] != 0 {
			return x[1]
		}
		return x[2]
	},
}

func one(f func(float64) float64) func([]float64) float64 {
	return func(x []float64) float64 { return f(x[0]) }
}
