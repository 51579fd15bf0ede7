import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { outputPath } from '../src/effects/files/paths.ts'
import { scratch } from './bench-core.ts'
import { makeSwarm } from './mcp-client.ts'
import { program } from './repository.ts'
import { openScreen, type Screen } from './screen.ts'

/** The agent that takes in every message at once and works until its input ends. */
export const talker = fileURLToPath(new URL('./workers/talker.ts', import.meta.url))

export interface Talkers {
  readonly root: string
  readonly screen: Screen
  /** The files that the agents print to, the agent of the first task first. */
  readonly outputs: readonly string[]
  /** The file in which the agents write when they took a message in. */
  readonly heard: string
}

/** A console with this many agents at work that speak, each in a worktree of its own. */
export const withTalkers = async <T>(count: number, use: (talkers: Talkers) => Promise<T>): Promise<T> => {
  const root = makeSwarm()
  const heard = join(scratch(), 'heard')
  const command = JSON.stringify([process.execPath, talker, heard])
  writeFileSync(
    join(root, '.aiswarm', 'config.yaml'),
    `session: {maxParallel: ${count}}
agents: {default: talker, kinds: {talker: {command: ${command}, protocol: stream-json}}}
worktrees: {perTask: true}
sandbox: off
`,
  )
  const ask = (...args: string[]): string =>
    execFileSync(process.execPath, [program, ...args, '--root', root, '--json'], { encoding: 'utf8' })
  for (let n = 1; n <= count; n++) ask('task', 'add', `Talk ${n}`, '--persona', 'implementer')
  const screen = openScreen([process.execPath, program], { columns: 200, rows: 50, cwd: root })
  try {
    await screen.until((text) => text.includes(`agents ${count}/${count}`))
    const agents = JSON.parse(ask('agent', 'list')) as readonly { id: string }[]
    const outputs = agents.map(({ id }) => outputPath(root, id))
    while (!outputs.every((path) => existsSync(path) && readFileSync(path, 'utf8').includes('isReplay')))
      await sleep(50)
    // The startup of the console is over.
    await sleep(1500)
    return await use({ root, screen, outputs, heard })
  } finally {
    await screen.end()
    for (let n = 1; n <= count; n++) ask('task', 'cancel', String(n))
    // A supervisor ends the agents.
    execFileSync(process.execPath, [program, 'run', '--until-idle', '--root', root], {
      stdio: 'ignore',
      timeout: 60_000,
    })
  }
}

/** A line that Claude Code prints for these words. */
export const wordsOf = (text: string): string =>
  `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] }, session_id: 'session-1' })}\n`
