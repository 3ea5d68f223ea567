#!/usr/bin/env python3
"""An independent kCFA: an abstract machine for the lambda calculus, run until it finds nothing new.

The machine has a control, which is one of

    evaluate (label, environment)            an expression is to be evaluated
    continue (label, environment, closure)   an expression has that value

and two stores that only grow: of closures by address (variable, contour), and of continuations by
address (label, environment), the point that they wait for. It is the time-stamped CESK* machine of
Van Horn and Might, "Abstracting Abstract Machines" (ICFP 2010), with one store for all states.

An environment gives a contour to every variable around an expression. A contour is a tuple of the
labels of up to k call sites, newest first; a point's contour is that of its environment's innermost
variable, and () in the empty environment.

evaluate a variable     continue with every closure at (variable, its contour in the environment),
                        also with those that come to be there later
evaluate a lambda       continue with the closure (lambda, environment)
evaluate (e0 e1) at l   let "operator of l" wait for e0 in this environment; evaluate e0
continue                every continuation that waits for the point goes on with the value:
  operator of l           let "operand of l, with f", f the value, wait for e1 here; evaluate e1
  operand of l, with f    f = (lambda, its environment): the contour is the first k of l : this
                          point's; the value is added at (parameter, contour); the body is to be
                          evaluated in f's environment with the parameter bound there; "caller l
                          in this environment" waits for it
  caller l, environment   l has the value in that environment

That a body's continuations wait at (body, environment), and so only for what was entered there, is
from Gilray and others, "Pushdown control-flow analysis for free" (POPL 2016).

    reference.py FILE --k K     prints what was found: counts, then the flow
"""

import argparse
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple


class Node(NamedTuple):
    kind: str  # variable, lambda, application
    line: int
    parts: tuple  # the binder's label; the body's; the operator's and the operand's


def read_lists(text):
    """The program as nested pairs (line, word or list)."""
    stack = [[]]
    lines = []
    for number, line in enumerate(text.split("\n"), start=1):
        for token in re.findall(r"[()]|[^\s()]+", line.split(";")[0]):
            if token == "(":
                stack.append([])
                lines.append(number)
            elif token == ")":
                done = stack.pop()
                stack[-1].append((lines.pop(), done))
            else:
                stack[-1].append((number, token))
    ((program,),) = stack
    return program


def expand(datum):
    """With one parameter per lambda and one operand per application: (line, kind, ...)."""
    line, form = datum
    if isinstance(form, str):
        return (line, "variable", form)
    head = form[0][1]
    if head == "lambda":
        return curry(line, [name for _, name in form[1][1]], expand(form[2]))
    if head == "let":
        bound = [binding for _, binding in form[1][1]]
        operator = curry(line, [name for (_, name), _ in bound], expand(form[2]))
        return apply(line, operator, [expand(value) for _, value in bound])
    return apply(line, expand(form[0]), [expand(operand) for operand in form[1:]])


def curry(line, names, body):
    for name in reversed(names):
        body = (line, "lambda", name, body)
    return body


def apply(line, operator, operands):
    for operand in operands:
        operator = (line, "application", operator, operand)
    return operator


def number(tree, nodes, scope):
    """Append the tree to the nodes in preorder. Returns the label of its root."""
    label = len(nodes)
    nodes.append(None)
    line, kind, *rest = tree
    if kind == "variable":
        parts = (scope[rest[0]],)
    elif kind == "lambda":
        parts = (number(rest[1], nodes, {**scope, rest[0]: label}),)
    else:
        parts = tuple(number(part, nodes, scope) for part in rest)
    nodes[label] = Node(kind, line, parts)
    return label


def read_term(text):
    nodes = []
    number(expand(read_lists(text)), nodes, {})
    return nodes


class Environments:
    """Environments by number. Each is its enclosing one and one more variable."""

    def __init__(self):
        self.contents = [{}]
        self.contours = [()]
        self.numbers = {}

    def extend(self, outer, variable, contour):
        key = (outer, variable, contour)
        if key not in self.numbers:
            self.numbers[key] = len(self.contents)
            self.contents.append({**self.contents[outer], variable: contour})
            self.contours.append(contour)
        return self.numbers[key]


class Machine:
    def __init__(self, nodes, k):
        self.nodes = nodes
        self.k = k
        self.environments = Environments()
        self.store = defaultdict(set)
        self.readers = defaultdict(set)
        self.continuations = defaultdict(set)
        self.values = defaultdict(set)
        self.evaluated = set()
        self.called = defaultdict(set)
        self.calls = 0
        self.to_do = []

    def run(self):
        self.evaluate((0, 0))
        while self.to_do:
            step, *arguments = self.to_do.pop()
            step(*arguments)

    def evaluate(self, point):
        if point not in self.evaluated:
            self.evaluated.add(point)
            self.to_do.append((self.begin, point))

    def begin(self, point):
        label, environment = point
        node = self.nodes[label]
        if node.kind == "variable":
            (variable,) = node.parts
            address = (variable, self.environments.contents[environment][variable])
            self.readers[address].add(point)
            for closure in list(self.store[address]):
                self.give(point, closure)
        elif node.kind == "lambda":
            self.give(point, (label, environment))
        else:
            operator = (node.parts[0], environment)
            self.wait(operator, ("operator", label))
            self.evaluate(operator)

    def give(self, point, closure):
        if closure not in self.values[point]:
            self.values[point].add(closure)
            for continuation in self.continuations[point]:
                self.to_do.append((self.go_on, point, continuation, closure))

    def wait(self, point, continuation):
        if continuation in self.continuations[point]:
            return
        self.continuations[point].add(continuation)
        self.calls += continuation[0] == "caller"
        for closure in self.values[point]:
            self.to_do.append((self.go_on, point, continuation, closure))

    def go_on(self, point, continuation, closure):
        kind, label, *rest = continuation
        environment = point[1]
        if kind == "operator":
            operand = (self.nodes[label].parts[1], environment)
            self.wait(operand, ("operand", label, closure))
            self.evaluate(operand)
        elif kind == "operand":
            self.enter((label, environment), rest[0], closure)
        else:
            self.give((label, rest[0]), closure)

    def enter(self, caller, operator, operand):
        label, environment = caller
        function, outer = operator
        contour = self.environments.contours[environment]
        self.called[label, contour].add(function)
        entered = ((label, *contour))[: self.k]
        self.bind((function, entered), operand)
        (body,) = self.nodes[function].parts
        target = (body, self.environments.extend(outer, function, entered))
        self.wait(target, ("caller", label, environment))
        self.evaluate(target)

    def bind(self, address, closure):
        if closure not in self.store[address]:
            self.store[address].add(closure)
            for point in list(self.readers[address]):
                self.give(point, closure)

    def counts(self):
        return {
            "points": len(self.evaluated),
            "returns": sum(map(len, self.values.values())),
            "bindings": sum(map(len, self.store.values())),
            "environments": len(self.environments.contents),
            "calls": self.calls,
        }

    def flow(self):
        lines = []
        for address, closures in self.store.items():
            if closures:
                lines.append(self.line("bind", address, {function for function, _ in closures}))
        for caller, functions in self.called.items():
            lines.append(self.line("call", caller, functions))
        return sorted(lines)

    def line(self, what, place, lambdas):
        label, contour = place
        sites = " ".join(map(str, contour))
        found = " ".join(map(str, sorted(lambdas)))
        return f"{what} {label} line {self.nodes[label].line} at [{sites}]: {found}"


def analyse(text, k):
    """(counts, lines of the flow) of the program."""
    machine = Machine(read_term(text), k)
    machine.run()
    return machine.counts(), machine.flow()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--k", type=int, default=1)
    options = parser.parse_args()
    counts, flow = analyse(options.file.read_text(encoding="utf-8"), options.k)
    for name, count in counts.items():
        print(f"{name}: {count}")
    print("\n".join(flow))


if __name__ == "__main__":
    main()
