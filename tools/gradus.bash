# Completion of gradus for bash (zsh: autoload bashcompinit). Commands and options come from --help, scenes from gradus list,
# so nothing here knows them.
_gradus() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} program=${COMP_WORDS[0]}
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "$("$program" --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p') --help --version" -- "$word"))
    return
  fi
  case $word in
    -*)
      COMPREPLY=($(compgen -W "$("$program" "$command" --help 2>/dev/null | grep -o -e '--[a-z]*' | sort -u)" -- "$word"))
      return ;;
  esac
  COMPREPLY=($(compgen -f -- "$word"))
  case $command in
    run | show | render)
      [ "$before" = "$command" ] && COMPREPLY+=($(compgen -W "$("$program" list scenes 2>/dev/null | sed -n 's/^  \([^ ]*\) .*/\1/p')" -- "$word")) ;;
    list) COMPREPLY=($(compgen -W "scenes robots motions fields servos sensors" -- "$word")) ;;
    paper) COMPREPLY=($(compgen -W "$("$program" paper 2>/dev/null | sed 's/ .*//')" -- "$word")) ;;
  esac
}
complete -o filenames -F _gradus gradus ./gradus
