# Completion of akunu for fish.
function __akunu_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for line in (command $program __complete $words 2>/dev/null)
        if string match -q \t'*' -- $line
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c akunu -f -k -a '(__akunu_complete)'
