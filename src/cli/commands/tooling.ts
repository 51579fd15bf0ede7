import { type Command, does } from '../call/command.ts'
import { completionScript, shells } from '../completion/script.ts'
import { columns } from '../print/columns.ts'
import { pick } from '../call/words.ts'

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
    summary: 'Print a script that completes commands and options in your shell',
    words: { shell: pick('SHELL', 'Your shell', shells) },
    run: async ({ shell }, call) => {
      const script = completionScript(shell, call.commands)
      return { json: { shell, script }, text: script }
    },
    example: 'completion bash',
  }),
]
