import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../../support/core.ts'

const agent = resolve(import.meta.dirname, '../../fixtures/stream-agent.mjs')

/** A step of a turn; its format is described at the head of test/fixtures/stream-agent.mjs. */
type Step = Readonly<Record<string, unknown>>

/** Puts a `claude` that speaks stream-json and follows these turns first on the PATH of everything launched. */
export const streamAgent = (...turns: readonly (readonly Step[])[]) => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'turns.json'), JSON.stringify(turns))
  writeFileSync(join(folder, 'claude'), `#!/bin/sh\nexec '${process.execPath}' '${agent}' '${folder}'\n`)
  chmodSync(join(folder, 'claude'), 0o755)
  vi.stubEnv('PATH', [folder, process.env['PATH']].join(delimiter))
  onTestFinished(() => void vi.unstubAllEnvs())
  return {
    /** Everything that the agent has taken in, the prompt first. */
    heard: (): readonly string[] =>
      existsSync(join(folder, 'heard.jsonl'))
        ? readFileSync(join(folder, 'heard.jsonl'), 'utf8')
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line) as string)
        : [],
    tell: (word: string): void => writeFileSync(join(folder, word), ''),
  }
}
