/**
 * The small sh program under which agents run. It claims the run by creating its pid file (`set -C`: of two launchers
 * only one succeeds, so a launch can be repeated after a crash), runs the program given as arguments, byte for byte,
 * and records the exit status in a file, so that aiswarm need not run when the agent ends. It opens the files of input
 * and output itself, so that the agent does not depend on the process that started it. The record ends with a seal that
 * it reads from its own input before it starts anything: a record without it is ignored, so that the program cannot
 * forge its end. It uses only builtins of sh, because nothing else may be on PATH.
 * The pipe that it opens first stays open as long as it or a process that it started lives.
 * Arguments: pid file, exit file, life line, input file, output file, program, its arguments. With an empty input file the program
 * is a relay: its input is the key of its journal, the second word of the shim's own.
 */
export const shim = `
pid_file=$1; exit_file=$2; life=$3; input=$4; output=$5; shift 5
read -r seal key || exit 0
if [ -p "$life" ]; then exec 8<> "$life"; fi
set -C
{ echo $$ > "$pid_file"; } 2>/dev/null || exit 0
set +C
exec < "\${input:-/dev/null}" >> "$output" 2>&1
trap : TERM INT HUP
if [ -n "$input" ]; then "$@"; else echo "$key" | "$@"; fi
code=$?
echo "$code $seal" > "$exit_file"
exit "$code"
`
