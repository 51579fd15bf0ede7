import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../support/core.ts'

/** The arguments and environment with which a run of a fake CLI was started. */
export interface Started {
  readonly argv: readonly string[]
  readonly stdin: string
}

/**
 * Puts a program called `name` first on the PATH of everything that this test launches. Each of its runs executes the
 * next of `scripts`, lines of sh, and the last of them from then on; its start can be inspected.
 */
export const fakeCli = (name: string, ...scripts: readonly string[]) => {
  const folder = temporaryFolder()
  scripts.forEach((script, index) => writeFileSync(join(folder, `script-${index + 1}`), script))
  writeFileSync(join(folder, name), program(folder, scripts.length))
  chmodSync(join(folder, name), 0o755)
  vi.stubEnv('PATH', [folder, process.env['PATH']].join(delimiter))
  onTestFinished(() => void vi.unstubAllEnvs())
  const of = (run: number, what: string): string => readFileSync(join(folder, `run-${run}`, what), 'utf8')
  return {
    runs: (): number => readdirSync(folder).filter((one) => one.startsWith('run-')).length,
    started: (run: number): Started => ({
      argv: of(run, 'argv').split('\0').slice(0, -1),
      stdin: promptIn(of(run, 'stdin')),
    }),
    /** The path at which a waiting script looks (`waitsFor`). */
    tell: (word: string): void => writeFileSync(join(folder, word), ''),
    told: (word: string): boolean => existsSync(join(folder, word)),
    /** The text that a script has written into the file `$here/word`. */
    read: (word: string): string => readFileSync(join(folder, word), 'utf8'),
  }
}

/** The text of a message of the user in stream-json; any other input as it is. */
const promptIn = (stdin: string): string =>
  stdin.startsWith('{"type":"user"')
    ? (JSON.parse(stdin) as { message: { content: { text: string }[] } }).message.content[0]!.text
    : stdin

const program = (folder: string, last: number): string => `#!/bin/sh
here='${folder}'
run=1
until mkdir "$here/run-$run" 2>/dev/null; do run=$((run + 1)); done
printf '%s\\0' "$@" > "$here/run-$run/argv"
# The input of a conversation does not end: its first line is the prompt.
case " $* " in *' --input-format '*) IFS= read -r line; printf '%s\\n' "$line" ;; *) cat ;; esac > "$here/run-$run/stdin"
[ "$run" -le ${last} ] || run=${last}
. "$here/script-$run"
`

/** A line of sh that prints these lines: texts unchanged, anything else as JSON. */
export const says = (...lines: readonly unknown[]): string =>
  `cat <<'END OF LINES'\n${lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')}\nEND OF LINES\n`

/** A line of sh that waits for a signal of the test. */
export const waitsFor = (word: string): string => `until [ -e "$here/${word}" ]; do sleep 0.02; done\n`

/** A line of sh that reports its progress to the test. */
export const tells = (word: string): string => `: > "$here/${word}"\n`

/** The lines that the real CLI of this name printed (test/agents/reading/lines). */
export const linesOf = (name: string): readonly string[] =>
  readFileSync(join(import.meta.dirname, '../agents/reading/lines', `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter(Boolean)

/** The one line of them that contains this text. */
export const lineOf = (name: string, ...parts: readonly string[]): string => {
  const found = linesOf(name).filter((line) => parts.every((part) => line.includes(part)))
  if (found.length !== 1) throw new Error(`${found.length} lines of ${name} have ${parts.join(' and ')} in them`)
  return found[0]!
}
