import { spawn } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { Rescue } from '../../contracts/console.ts'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'

// Handles the person's terminal when this process itself cannot: while it is stopped, and after it was killed.

/**
 * Starts a shell that waits for the end of this process, which it detects by the end of its input. In its own session
 * no Ctrl-C and no closed terminal reaches it, and it may write to a terminal that is not its own. A parent process
 * instead would delay the first frame by Node's start and could be killed itself. `restore` is an argument of printf,
 * so it contains no `%`. Without sh nothing is restored, and without stty no modes.
 */
export const startRescue = (restore: string): Rescue => {
  const terminal = openTerminal()
  const child = spawn('/bin/sh', ['-c', waitAndRestore, 'terminal-restorer', restore, String(process.pid)], {
    cwd: '/',
    // Has no marker, because it belongs to no agent.
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', terminal ?? 'inherit'],
  })
  if (terminal !== undefined) closeSync(terminal)
  const pipe = child.stdin as Socket
  for (const end of [child, pipe]) end.on('error', () => {})
  child.unref()
  pipe.unref()
  // Written synchronously, because it is a rare word that must arrive even in the turn in which this process ends.
  const tell = (word: string) => (): void => void (pipe.writable && pipe.write(`${word}\n`))
  return { lent: tell('lent'), held: tell('held'), done: tell('done') }
}

/**
 * Modes are restored only if they are still those of a console: a shell that has taken the terminal back has its own,
 * with signals on. The modes that raw mode switched off are switched on, as nearly every terminal has them; only a
 * shell with job control knows the exact ones. Such a shell, our parent if we lead a group, goes first: between a check
 * of its modes and a change of them it might have begun to read. Without it (npx, a script) the parent of our parent
 * sees no signal and would take our modes for its own, so they are set at once, before anything else and without a
 * check, which would be another program to start: our parent does not read. At last the shell is sent a new size,
 * twice, which leaves the size as it was, so that it draws its prompt again after the screen of the dead console.
 */
const waitAndRestore = `state=held
group=$(ps -o pgid= -p "$2" 2>/dev/null)
while read -r word; do state=$word; done
[ "$state" = held ] || exit 0
restore() { stty brkint icrnl ixon icanon echo isig iexten <&3 2>/dev/null; }
[ "\${group##* }" = "$2" ] || restore
printf "$1" >&3
sleep 0.2 2>/dev/null || sleep 1
case "$(stty -a <&3 2>/dev/null)" in
*-isig*) restore ;;
esac
size=$(stty size <&3 2>/dev/null)
rows=\${size%% *}
[ "\${rows:-0}" -gt 1 ] && stty rows $((rows - 1)) <&3 && stty rows "$rows" <&3
exit 0`

/**
 * Opens the terminal a second time for reading and writing with waiting: ours is non-blocking, and a child that shared
 * it would change that for us. Linux opens the same terminal, other systems the controlling terminal of this session.
 */
const openTerminal = (): number | undefined => {
  for (const path of ['/proc/self/fd/1', '/dev/tty']) {
    try {
      return openSync(path, constants.O_RDWR | constants.O_NOCTTY)
    } catch {
      // Tries the next path, and in the end the terminal that is open.
    }
  }
  return undefined
}

/** Milliseconds after which a stop that has not happened will not happen. */
const SOON = 50

/**
 * Stops this job, as Ctrl-Z does for a program that leaves it to the terminal, and resolves when it continues. With
 * `alone` only this process stops. False if it was not stopped: the system stops no job that no shell could continue.
 */
export const stopJob = async ({ alone = false }: { alone?: boolean } = {}): Promise<boolean> => {
  let stopped = false
  const onContinue = (): void => void (stopped = true)
  const listeners = process.listeners('SIGTSTP')
  for (const listener of listeners) process.off('SIGTSTP', listener)
  process.on('SIGCONT', onContinue)
  process.kill(alone ? process.pid : 0, 'SIGTSTP')
  // The stop happens during the call, or in the next moments; after it, this time has passed.
  await sleep(SOON)
  await turn()
  process.off('SIGCONT', onContinue)
  for (const listener of listeners) process.on('SIGTSTP', listener)
  return stopped
}
