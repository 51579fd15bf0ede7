import { type Command, does, open, saidAll } from '../call/command.ts'
import { onEveryChange } from '../call/follow.ts'
import { whyNoScreen } from '../call/screen.ts'
import { readStatus, type Status } from '../verbs/sessions/status.ts'
import { statusText } from '../print/status-text.ts'
import { folded } from '../print/columns.ts'
import { flag } from '../call/words.ts'

export const statusCommands: readonly Command[] = [
  does({
    path: 'status',
    summary: 'Show the session, the number of tasks by state, the agents, the worktrees and what needs you',
    words: { watch: flag('--watch', 'Print it again at every change, until Ctrl-C (with --json one value per line)') },
    run: async ({ watch }, call) => {
      const connection = await open(call)
      const textOf = (status: Status): string =>
        folded(statusText(status, connection.core.clock()), call.streams.columns?.())
      if (!watch) {
        const status = await readStatus(connection)
        return { json: status, text: textOf(status) }
      }
      let last = ''
      await onEveryChange(call, connection, async () => {
        const status = await readStatus(connection)
        const json = JSON.stringify(status)
        if (json === last) return
        last = json
        call.streams.out(
          call.json
            ? `${json}\n`
            : `${whyNoScreen(call.streams.stdoutIsTerminal, call.environment) ? '' : clearScreen}${textOf(status)}\n`,
        )
      })
      return saidAll
    },
    example: 'status --watch',
  }),
]

const clearScreen = '\u001b[H\u001b[2J'
