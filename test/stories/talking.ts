import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TestContext } from 'vitest'
import { openShop, type Shop } from './pty.ts'

const program = resolve(import.meta.dirname, '../fixtures/stream-agent.mjs')

export interface Talking {
  readonly shop: Shop
  /** Writes the file that a step of the agent waits for. */
  readonly tell: (word: string) => void
  /** The last lines of the messages that the agent has taken in. */
  readonly heard: () => readonly string[]
}

/** A board with a kind of agent that speaks stream-json and follows these turns. */
export const openTalk = (
  context: TestContext,
  turns: readonly (readonly Readonly<Record<string, unknown>>[])[],
): Talking => {
  const shop = openShop(context, { config: '' })
  const folder = join(shop.folder, 'agent')
  mkdirSync(folder)
  writeFileSync(join(folder, 'turns.json'), JSON.stringify(turns))
  const command = JSON.stringify([process.execPath, program, folder])
  shop.write({
    '.aiswarm/config.yaml': `agents: {default: talker, kinds: {talker: {command: ${command}, protocol: stream-json}}}\n`,
  })
  return {
    shop,
    tell: (word) => appendFileSync(join(folder, word), ''),
    heard: () =>
      existsSync(join(folder, 'heard.jsonl'))
        ? readFileSync(join(folder, 'heard.jsonl'), 'utf8')
            .split('\n')
            .slice(0, -1)
            .map((line) => (JSON.parse(line) as string).split('\n').at(-1)!)
        : [],
  }
}
