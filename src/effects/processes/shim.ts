import { execFileSync } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readFileSync, statfsSync } from 'node:fs'

// The program between aiswarm and an agent's own, and the files by which a run is known: its pid file and its life
// line.

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

// The file in which the shim of a run writes its pid, or a stopper writes that the run must not start.

export const readPid = (pidFile: string): number | undefined => {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
    return Number.isInteger(pid) && pid > 1 ? pid : undefined
  } catch {
    return undefined
  }
}

/** True if a stopper claimed the run before any process could. */
export const isVoid = (pidFile: string): boolean =>
  existsSync(pidFile) && readFileSync(pidFile, 'utf8').startsWith('void')

// A pipe with a name that the shim of a run holds open, and with it each process that it starts. The kernel closes it with
// the last of them, so it proves their end also where their numbers mean nothing: in another pid namespace of the same boot.

/** File systems that several machines may share: a pipe there connects only the processes of one of them. */
const shared = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x00c36400, 0x5346414f])

/** Makes the pipe, which is repeated after a crash. Without the program, or on a system without pipes, there is none. */
export const makeLifeLine = (path: string): void => {
  if (existsSync(path)) return
  try {
    execFileSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' })
  } catch {
    // Nothing can be proven for this run in another namespace then.
  }
}

/** True only if no process holds the pipe. False if one does, and if the pipe proves nothing. */
export const isCut = (path: string): boolean => {
  try {
    if (shared.has(Number(statfsSync(path).type))) return false
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK))
    return false
  } catch (error) {
    // A pipe that no process reads.
    return (error as NodeJS.ErrnoException).code === 'ENXIO'
  }
}
