"""Writes completions for bash, zsh and fish."""

from __future__ import annotations

import re

from help_text import Option, Program

_SHORT = 60  # letters of a description in fish and zsh
_KINDS = {"FILE": "file", "PREFIX": "file", "COMMAND": "command", "": "flag"}
_MATCHES = 'mapfile -t COMPREPLY < <(compgen {} -- "$current")'
# How each shell completes what an option or an argument takes.
_BASH = {
    "words": _MATCHES.format('-W "{words}"'),
    "file": f"compopt -o filenames 2>/dev/null; {_MATCHES.format('-f')}",
    "command": _MATCHES.format("-c -f"),
}
_ZSH = {"words": "({words})", "file": "_files", "command": "_normal", "value": " "}
_FISH = {
    "words": " -x -a '{words}'",
    "file": " -r -F",
    "command": " -x -a '(__fish_complete_subcommand)'",
    "value": " -x",
}


def _kind(option: Option) -> str:
    return "words" if option.choices else _KINDS.get(option.kind, "value")


def _action(actions: dict[str, str], option: Option) -> str:
    return actions.get(_kind(option), "").format(words=" ".join(option.choices))


def _short(option: Option) -> str:
    """The beginning of a description, on one line."""
    text = re.split(r"\. |; |: | \(", option.meaning)[0].rstrip(".:")
    return text if len(text) <= _SHORT else text[: _SHORT - 3].rpartition(" ")[0] + "..."


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


_BASH_FILE = """# Completion of {name} for bash. Made from what {name} --help prints.
{function}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  COMPREPLY=()
{command}  case $previous in
{cases}  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W {options} -- "$current")
    return
  fi
{arguments}}}
complete -F {function} {name}
"""
# Behind the program everything belongs to it.
_BASH_COMMAND = """  local at
  for ((at = 1; at < COMP_CWORD; ++at)); do
    case ${{COMP_WORDS[at]}} in
      {valued}) ((++at)) ;;
      -*) ;;
      *)
        if declare -F _command_offset >/dev/null; then
          _command_offset "$at"
        else
          mapfile -t COMPREPLY < <(compgen -f -- "$current")
        fi
        return
        ;;
    esac
  done
"""


def bash(program: Program) -> str:
    """The file in share/bash-completion/completions/."""
    cases = {
        "|".join(option.names): "; ".join(filter(None, [_action(_BASH, option), "return"]))
        for option in program.options
        if option.kind
    }
    is_starter = any(_kind(one) == "command" for one in program.arguments)
    arguments = filter(None, (_action(_BASH, one) for one in program.arguments))
    return _BASH_FILE.format(
        name=program.name,
        function="_" + program.name.replace("-", "_"),
        command=_BASH_COMMAND.format(valued="|".join(cases)) if is_starter else "",
        cases="".join(f"    {names}) {action} ;;\n" for names, action in cases.items()),
        options=_quoted(" ".join(name for one in program.options for name in one.names)),
        arguments="".join(f"  {action}\n" for action in list(arguments)[:1]),
    )


def zsh(program: Program) -> str:
    """The file in share/zsh/site-functions/."""
    words = []
    for option in program.options:
        short = _short(option).translate(str.maketrans({one: f"\\{one}" for one in "[]:"}))
        value = f":{option.name.lstrip('-')}:{_action(_ZSH, option)}" if option.kind else ""
        excluded = _quoted(f"({' '.join(option.names)})")
        names = "{" + ",".join(option.names) + "}" if option.letter else option.name
        words.append(excluded + names + _quoted(f"[{short}]{value}"))
    for argument in program.arguments:
        many = "*:" if _kind(argument) == "command" else ""
        words.append(_quoted(f"{many}:{argument.name}:{_action(_ZSH, argument)}"))
    head = f"#compdef {program.name}\n# Made from what {program.name} --help prints.\n"
    return head + " \\\n  ".join(["_arguments -S", *words]) + "\n"


def fish(program: Program) -> str:
    """The file in share/fish/vendor_completions.d/."""
    name = program.name
    begin = f"complete -c {name}"
    lines = [f"# Completion of {name} for fish. Made from what {name} --help prints."]
    for option in program.options:
        letter = f" -s {option.letter[1:]}" if option.letter else ""
        names = f"{letter} -l {option.name[2:]}"
        lines.append(f"{begin}{names}{_action(_FISH, option)} -d {_quoted(_short(option))}")
    for argument in program.arguments:
        if _kind(argument) in ("words", "command"):
            lines.append(begin + _action(_FISH, argument))
    return "\n".join([*lines, ""])
