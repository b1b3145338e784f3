# SPDX-License-Identifier: BSD-3-Clause
# Completion for bash (and zsh, after bashcompinit): commands, options, and the names of solvers,
# settings, schemes and kinds, all asked of the command itself.

# Options in the help of a command.
_perp_options()
{
    "$@" --help 2>/dev/null | sed -n \
        -e 's/^  \(-[A-Za-z]\), \(--[a-z0-9-]*\)\(=\{0,1\}\).*/\1 \2\3/p' \
        -e 's/^      \(--[a-z0-9-]*\)\(=\{0,1\}\).*/\1\2/p' | tr ' ' '\n'
}

_perp_settings()
{
    "$1" solvers --all 2>/dev/null | sed -n '/^Settings/,$ s/^  \([a-z_]*\)  *.*/\1=/p'
}

# Choices of one setting: "  sweep   forward (forward|symmetric)".
_perp_choices()
{
    "$1" solvers --all 2>/dev/null | sed -n "/^Settings/,\$ s/^  $2  *[^ ]* (\\(.*|.*\\))\$/\\1/p" | tr '|' '\n'
}

# Words that may follow the option $2 of the command `$1 $3...`; status 1: file names.
_perp_values()
{
    local perp=$1 option=$2
    shift 2
    case $option in
        -s | --solver) "$perp" solvers --all 2>/dev/null | sed -n 's/^\([a-z-]*\)  *.*/\1/p' ;;
        -S | --set) _perp_settings "$perp" ;;
        -c | --class) printf '%s\n' friction global rolling lcp mlcp relay ;;
        --scheme) "$perp" run --help 2>/dev/null | sed -n '/^Integrators/,/^$/ s/^  \([a-z-]*\): .*/\1/p' ;;
        --form) printf '%s\n' local global ;;
        --part) printf '%s\n' M H G V R q w b mu mu_r mu_s lo hi ;;
        --base) printf '%s\n' fixed free ;;
        --rows) printf '%s\n' lcp mlcp boxed ;;
        --examples) printf '%s\n' ball oscillator ;;
        *) return 1 ;;
    esac
}

_perp_kinds()
{
    "$1" generate --help 2>/dev/null | sed -n -e '/^Kinds/,/^$/ s/^  \([a-z]*\) .*/\1/p' \
        -e '/^Families/,/^$/ { /^Families/ d; s/^ *\([a-z][a-z ]*\)$/\1/p; }' | tr ' ' '\n'
}

# Options that stand alone; all others take a value.
_perp_is_flag()
{
    case $1 in
        -h | --help | -V | --version | -j | --json | -q | --quiet | -v | --verbose | -a | --all) return 0 ;;
        -p | --plot | --resume | --check | --relays | -e | --each | --no-peers | --hold | --no-self-contact | --ignore | --floor | --serve | --view | --paused | --no-browser | --vtk) return 0 ;;
    esac
    return 1
}

_perp()
{
    local perp=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]} at=$COMP_CWORD before words=
    local -a command=()
    COMPREPLY=()

    # bash cuts words at "=": "--solver=gs" is "--solver", "=", "gs".
    if [[ $cur == = ]]; then
        cur=
        at=$((at + 1))
    fi
    before=${COMP_WORDS[at - 1]}
    if [[ $before == = ]]; then
        before=${COMP_WORDS[at - 2]}
        if [[ $before != -* ]]; then # the value of a setting
            mapfile -t COMPREPLY < <(compgen -W "$(_perp_choices "$perp" "$before")" -- "$cur")
            return
        fi
    fi

    if ((COMP_CWORD == 1)); then
        words="solve run view verify info convert generate solvers bench -h --help -V --version"
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        return
    fi
    command=("${COMP_WORDS[1]}")
    if [[ ${command[0]} == bench && $COMP_CWORD -gt 2 ]]; then
        case ${COMP_WORDS[2]} in report | list | order | precision | scenes) command+=("${COMP_WORDS[2]}") ;; esac
    fi

    if [[ $before == -* ]] && ! _perp_is_flag "$before"; then
        if words=$(_perp_values "$perp" "$before" "${command[@]}"); then
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
            [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        fi
        return
    fi
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_perp_options "$perp" "${command[@]}")" -- "$cur")
        [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
        return
    fi
    case "${command[*]}" in
        solvers) words=$(_perp_values "$perp" --solver) ;;
        generate) ((COMP_CWORD == 2)) && words=$(_perp_kinds "$perp") ;;
        bench) ((COMP_CWORD == 2)) && words="report list order precision scenes" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    [[ ${command[0]} == solvers ]] || mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
}

complete -o filenames -F _perp perp
