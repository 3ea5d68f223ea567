"""Writes completions for bash, zsh and fish."""

from __future__ import annotations

import re

from help_text import Option, Program

_FILES = ("FILE", "PREFIX")
_COMMAND = "COMMAND"
_SHORT = 60  # letters of a description in fish and zsh


def _short(option: Option) -> str:
    """The beginning of a description, on one line."""
    text = re.split(r"\. |; |: | \(", option.meaning)[0].rstrip(".:")
    return text if len(text) <= _SHORT else text[: _SHORT - 3].rpartition(" ")[0] + "..."


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _function(program: Program) -> str:
    return "_" + program.name.replace("-", "_")


_BASH = """# Completion of {name} for bash. Made from what {name} --help prints.
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


def _bash_values(option: Option) -> str:
    if option.choices:
        return f'mapfile -t COMPREPLY < <(compgen -W "{" ".join(option.choices)}" -- "$current")'
    if option.kind in _FILES:
        return (
            'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current")'
        )
    if option.kind == _COMMAND:
        return 'mapfile -t COMPREPLY < <(compgen -c -f -- "$current")'
    return ""


def bash(program: Program) -> str:
    """The file in share/bash-completion/completions/."""
    valued = [option for option in program.options if option.kind]
    cases = []
    for option in valued:
        action = _bash_values(option)
        body = f"{action}; return" if action else "return"
        cases.append(f"    {'|'.join(option.names)}) {body} ;;\n")
    is_starter = any(one.kind == _COMMAND for one in program.arguments)
    names = "|".join(name for option in valued for name in option.names)
    arguments = [action for one in program.arguments if (action := _bash_values(one))]
    return _BASH.format(
        name=program.name,
        function=_function(program),
        command=_BASH_COMMAND.format(valued=names) if is_starter else "",
        cases="".join(cases),
        options=_quoted(" ".join(name for one in program.options for name in one.names)),
        arguments="".join(f"  {action}\n" for action in arguments[:1]),
    )


def _zsh_action(option: Option) -> str:
    if option.choices:
        return f"({' '.join(option.choices)})"
    if option.kind in _FILES:
        return "_files"
    return "_normal" if option.kind == _COMMAND else " "


def _zsh_option(option: Option) -> str:
    escapes = str.maketrans({"[": "\\[", "]": "\\]", ":": "\\:"})
    text = f"[{_short(option).translate(escapes)}]"
    value = f":{option.name.lstrip('-')}:{_zsh_action(option)}" if option.kind else ""
    excluded = f"({' '.join(option.names)})"
    names = "{" + ",".join(option.names) + "}" if option.letter else option.name
    return f"  {_quoted(excluded)}{names}{_quoted(text + value)} \\\n"


def zsh(program: Program) -> str:
    """The file in share/zsh/site-functions/."""
    lines = [_zsh_option(option) for option in program.options]
    for argument in program.arguments:
        many = "*:" if argument.kind == _COMMAND else ""
        action = f"{many}:{argument.name}:{_zsh_action(argument)}"
        lines.append(f"  {_quoted(action)} \\\n")
    body = "".join(lines).rstrip(" \\\n")
    head = f"#compdef {program.name}\n# Made from what {program.name} --help prints.\n"
    return f"{head}_arguments -S \\\n{body}\n"


def _fish_values(option: Option) -> str:
    if option.choices:
        return f" -x -a {_quoted(' '.join(option.choices))}"
    if option.kind in _FILES:
        return " -r -F"
    return " -x" if option.kind else ""


def fish(program: Program) -> str:
    """The file in share/fish/vendor_completions.d/."""
    lines = [
        f"# Completion of {program.name} for fish. Made from what {program.name} --help prints."
    ]
    begin = f"complete -c {program.name}"
    for option in program.options:
        letter = f" -s {option.letter[1:]}" if option.letter else ""
        names = f"{letter} -l {option.name[2:]}"
        lines.append(f"{begin}{names}{_fish_values(option)} -d {_quoted(_short(option))}")
    for argument in program.arguments:
        if argument.choices:
            lines.append(f"{begin} -f -a {_quoted(' '.join(argument.choices))}")
        elif argument.kind == _COMMAND:
            lines.append(f"{begin} -x -a '(__fish_complete_subcommand)'")
    return "\n".join([*lines, ""])
