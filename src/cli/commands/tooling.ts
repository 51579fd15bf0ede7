import { type Command, does, open } from '../call/command.ts'
import { namesOf, namesText } from '../completion/names.ts'
import { completionScript, shells } from '../completion/script.ts'
import { columns } from '../print/columns.ts'
import { named, pick } from '../call/words.ts'

export const toolingCommands: readonly Command[] = [
  does({
    path: 'doctor',
    summary: 'Show what is installed and what is missing',
    words: {},
    run: async (_, call) => {
      const findings = await call.services.diagnose(call.root)
      return {
        json: findings,
        text: columns(
          ['STATE', 'WHAT', 'FOUND'],
          findings.map(({ name, ok, detail }) => [ok === null ? '–' : ok ? 'ok' : 'missing', name, detail]),
        ),
      }
    },
    example: 'doctor',
  }),
  does({
    path: 'completion',
    summary:
      'Print a script that completes commands, options, and the names of tasks, worktrees, agents, personas, sessions and requests in your shell',
    words: { shell: pick('SHELL', 'Your shell', shells) },
    run: async ({ shell }, call) => {
      const script = completionScript(shell, call.commands)
      return { json: { shell, script }, text: script }
    },
    example: 'completion bash',
  }),
  does({
    path: 'names',
    summary: 'Print the names that exist, one per line with a description; shells complete with them',
    words: { what: pick('WHAT', 'The sort of names', named) },
    run: async ({ what }, call) => {
      const names = await namesOf(what, await open(call))
      return { json: names, text: namesText(names) }
    },
    example: 'names tasks',
  }),
]
