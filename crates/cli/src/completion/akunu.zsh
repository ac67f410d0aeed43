#compdef akunu
# Completion of akunu for zsh: source it, or save it as _akunu in a folder of $fpath.
_akunu() {
    local line name files=""
    local -a described
    for line in "${(@f)$(${(Q)words[1]} __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        name=${line%%$'\t'*}
        if [[ -n $name ]]; then
            described+=("${name//:/\\:}:${line#*$'\t'}")
        elif [[ -n $line ]]; then
            files=1
        fi
    done
    (( $#described )) && _describe -V akunu described
    [[ -n $files ]] && _files
}
if [[ ${funcstack[1]} == _akunu ]]; then
    _akunu "$@"
else
    compdef _akunu akunu
fi
