import { spawn } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'

// The person's terminal where this process cannot see to it itself: while it is stopped, and after it was killed.

/** Gives the terminal back if this process is killed while it holds it. */
export interface Rescue {
  /** Another program has the terminal now, or the shell: nothing is to be written to it. */
  readonly lent: () => void
  readonly held: () => void
  /** The terminal was given back. */
  readonly done: () => void
}

/**
 * Starts a shell that waits for the end of this process, which it sees by the end of its input. In a session of its own
 * it is in nobody's way: no Ctrl-C and no closed terminal reaches it, and a terminal that is not its own lets it write
 * from behind. A parent in its place would cost Node's start before the first frame and could be killed itself.
 * `restore` is for printf, so without `%`. Where there is no sh nothing is given back, and modes are not where there is no stty.
 */
export const startRescue = (restore: string): Rescue => {
  const terminal = openTerminal()
  const child = spawn('/bin/sh', ['-c', waitAndRestore, 'terminal-restorer', restore, String(process.pid), restoreModes], {
    cwd: '/',
    // No marker of ours: it belongs to no agent.
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', terminal ?? 'inherit'],
  })
  if (terminal !== undefined) closeSync(terminal)
  const pipe = child.stdin as Socket
  for (const end of [child, pipe]) end.on('error', () => {})
  child.unref()
  pipe.unref()
  // Written at once, as long as it is a word now and then: it must arrive even in the turn in which this process ends.
  const tell = (word: string) => (): void => void (pipe.writable && pipe.write(`${word}\n`))
  return { lent: tell('lent'), held: tell('held'), done: tell('done') }
}

/**
 * Modes are given back only where they are still those of a console: a shell that has taken the terminal back has its own,
 * with signals on. What raw mode had switched off is switched on, as nearly every terminal has it; what it was exactly only
 * a shell knows that looks after its jobs. That one, our parent where we lead a group, is let do so first: between a look
 * at its modes and a change of them it might have begun to read. Without it (npx, a script) whoever started our parent
 * sees no signal and would take our modes for its own, so it must be before our parent has ended, which is a race: where
 * there is a perl, which git brings nearly everywhere, it waits ready to set them, without two programs to start. At last the shell is told of a new size, twice,
 * which leaves it as it was, so that it shows a prompt again that it had written over the screen of the dead console.
 */
const waitAndRestore = `state=held
group=$(ps -o pgid= -p "$2" 2>/dev/null)
if [ "\${group##* }" != "$2" ] && perl -MPOSIX -e 1 2>/dev/null
then perl -e "$3" || exit 0
else while read -r word; do state=$word; done
fi
[ "$state" = held ] || exit 0
modes() {
  case "$(stty -a <&3 2>/dev/null)" in
  *-isig*) stty brkint icrnl ixon icanon echo isig iexten <&3 2>/dev/null ;;
  esac
}
printf "$1" >&3
[ "\${group##* }" = "$2" ] || modes
sleep 0.2 2>/dev/null || sleep 1
modes
size=$(stty size <&3 2>/dev/null)
rows=\${size%% *}
[ "\${rows:-0}" -gt 1 ] && stty rows $((rows - 1)) <&3 && stty rows "$rows" <&3
exit 0`

/** For perl: waits as the shell does, and gives back what its `modes` does. It fails where nothing is to be given back. */
const restoreModes = `use POSIX;
my $state = 'held';
while (<STDIN>) { chomp; $state = $_ }
exit 1 if $state ne 'held';
my $modes = POSIX::Termios->new;
$modes->getattr(3);
exit 0 if $modes->getlflag & ISIG;
$modes->setiflag($modes->getiflag | BRKINT | ICRNL | IXON);
$modes->setlflag($modes->getlflag | ICANON | ECHO | ISIG | IEXTEN);
$modes->setattr(3, TCSANOW);`

/**
 * The terminal once more, to be read and written by whoever waits for it: ours does not wait, and a child that shared it
 * would change that for us. Linux opens the very terminal; elsewhere it is the one that this session belongs to.
 */
const openTerminal = (): number | undefined => {
  for (const path of ['/proc/self/fd/1', '/dev/tty']) {
    try {
      return openSync(path, constants.O_RDWR | constants.O_NOCTTY)
    } catch {
      // The next one; at last the one that we have.
    }
  }
  return undefined
}

/** Milliseconds after which a stop that has not come will not come. */
const SOON = 50

/**
 * Stops this job, as Ctrl-Z does for a program that leaves it to the terminal, and resolves when it goes on. With
 * `alone` only this process. False where it was not stopped: the system stops no job that no shell could bring back.
 */
export const stopJob = async ({ alone = false }: { alone?: boolean } = {}): Promise<boolean> => {
  let stopped = false
  const onContinue = (): void => void (stopped = true)
  const listeners = process.listeners('SIGTSTP')
  for (const listener of listeners) process.off('SIGTSTP', listener)
  process.on('SIGCONT', onContinue)
  process.kill(alone ? process.pid : 0, 'SIGTSTP')
  // The stop comes with the call, or in the next moments; behind it this time is long over.
  await sleep(SOON)
  await turn()
  process.off('SIGCONT', onContinue)
  for (const listener of listeners) process.on('SIGTSTP', listener)
  return stopped
}
