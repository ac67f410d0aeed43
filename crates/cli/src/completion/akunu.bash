# Completion of akunu for bash 3.2 and later.
_akunu() {
    local word cut glue="" line files="" reply models
    local -a words
    words=()
    # Bash takes ':' and '=' for words of their own; akunu gets them whole.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if [[ ${#words[@]} -gt 0 && ( -n $glue || $word == [:=]* ) ]]; then
            words[${#words[@]}-1]+=$word
        else
            words[${#words[@]}]=$word
        fi
        case $word in *[:=]) glue=1 ;; *) glue="" ;; esac
    done
    word=${words[${#words[@]}-1]}
    # What bash holds for typed already.
    cut=""
    if [[ $word == *[:=]* && $COMP_WORDBREAKS == *:* ]]; then
        cut=${word%"${word##*[:=]}"}
    fi
    COMPREPLY=()
    while IFS= read -r line; do
        reply=${line%%$'\t'*}
        if [[ -z $reply ]]; then
            files=1
        else
            COMPREPLY[${#COMPREPLY[@]}]=${reply#"$cut"}
        fi
    done < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
    if [[ -n $files ]]; then
        # Names alone are completed as paths. Beside models they are only listed: as paths, models would lose their slashes.
        models=${#COMPREPLY[@]}
        [[ $models -gt 0 ]] || compopt -o filenames 2>/dev/null
        while IFS= read -r line; do
            [[ $models -gt 0 ]] && printf -v line %q "$line"
            COMPREPLY[${#COMPREPLY[@]}]=$line
        done < <(compgen -f -- "${word#"$cut"}")
    fi
}
complete -F _akunu akunu
