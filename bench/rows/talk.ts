import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { outputPath } from '../../src/effects/files/paths.ts'
import { bareProgram } from '../bare-program.ts'
import { scratch } from '../bench-core.ts'
import { processorTime } from '../both-sizes.ts'
import { makeSwarm, program } from '../repository.ts'
import { median, middleAndWorst, quantile, type Row } from '../row.ts'
import { openScreen, type Screen } from '../screen.ts'

const WORDS = 100
const MESSAGES = 30

/** An agent prints its words; measured until they are in its conversation, compared with a tail that draws as many lines. */
export const wordToScreen = (): Promise<Row> =>
  withTalkers(1, async ({ root, screen, outputs }) => {
    const [output] = outputs
    const bare = openScreen([process.execPath, await bareProgram('bare-tail'), output!], {
      columns: 200,
      rows: 50,
      cwd: root,
    })
    try {
      await bare.until((text) => text.includes('a bare tail'))
      await openConversation(screen)
      const sides = [
        { screen: bare, times: [] as number[] },
        { screen, times: [] as number[] },
      ]
      for (let n = 0; n < WORDS; n++) {
        await sleep(60 + Math.random() * 60)
        const word = `word-${n}-${Math.random().toString(36).slice(2)}`
        const from = performance.now()
        appendFileSync(output!, wordsOf(`${word}: I look at the code and change it.`))
        const arrivals = sides.map(({ screen }) => screen.until((text) => text.includes(word), from))
        for (const [side, arrival] of arrivals.entries()) sides[side]!.times.push(await arrival)
      }
      const [reference, ours] = sides.map(({ times }) => times)
      const ratio = median(ours!) / median(reference!)
      return {
        what: `an agent's words → they are on the screen / a bare tail and as many lines of Ink (${middleAndWorst(reference!)})`,
        measured: `p50 ${ratio.toFixed(2)}×, p99 ${(quantile(ours!, 0.99) / quantile(reference!, 0.99)).toFixed(2)}× (${middleAndWorst(ours!)})`,
        target: 'p50 ≤ 1.5×',
        kept: ratio <= 1.5,
      }
    } finally {
      await bare.end()
    }
  })

const openConversation = async (screen: Screen): Promise<void> => {
  await screen.press('1g', (text) => text.includes('[1 Board]'))
  await screen.press('c', (text) => /\[(Conversation|Talk)/.test(text) || text.includes('follow'))
}

const LINES_A_SECOND = 50
const SECONDS = 10

/** The processor time of a console while ten agents print at once, compared with a bare tail of the same outputs. */
export const tenTalk = (): Promise<Row> =>
  withTalkers(10, async ({ root, screen, outputs }) => {
    await openConversation(screen)
    const bare = openScreen([process.execPath, await bareProgram('bare-tail'), ...outputs], {
      columns: 200,
      rows: 50,
      cwd: root,
    })
    try {
      await bare.until((text) => text.includes('a bare tail'))
      await sleep(3000)
      const spent = async (work: () => Promise<void>): Promise<readonly [bare: number, ours: number]> => {
        const before = [bare, screen].map(({ pid }) => processorTime(pid))
        await work()
        const after = [bare, screen].map(({ pid }) => processorTime(pid))
        return [after[0]! - before[0]!, after[1]! - before[1]!]
      }
      const idle = await spent(() => sleep(SECONDS * 1000))
      const busy = await spent(() => stream(outputs))
      // The work that a console does without any words is not theirs.
      const [reference, ours] = [busy[0] - idle[0], busy[1] - idle[1]]
      return {
        what: `ten agents print ${LINES_A_SECOND} lines a second each, one of them is on the screen: processor time of the console / of a bare tail of the same outputs`,
        measured: `${(ours / reference).toFixed(2)}× (${ours} / ${reference} ms in ${SECONDS} s)`,
        target: '≤ 1.5×',
        kept: ours <= 1.5 * reference,
      }
    } finally {
      await bare.end()
    }
  })

const stream = async (outputs: readonly string[]): Promise<void> => {
  const begun = performance.now()
  for (let n = 0; n < SECONDS * LINES_A_SECOND; n++) {
    for (const path of outputs) appendFileSync(path, wordsOf(`Step ${n}: I look at the code and change it.`))
    await sleep(Math.max(0, begun + ((n + 1) * 1000) / LINES_A_SECOND - performance.now()))
  }
}

/** A message from its enter key to the input of its agent, compared with a line that Ink writes into a pipe. */
export const keyToAgent = (): Promise<Row> =>
  withTalkers(1, async ({ root, screen, heard }) => {
    const file = join(scratch(), 'heard')
    const bare = openScreen([process.execPath, await bareProgram('bare-pipe'), talker, file], {
      columns: 200,
      rows: 50,
      cwd: root,
    })
    try {
      await bare.until((text) => text.includes('a bare pipe'))
      const [reference, ours]: [number[], number[]] = [[], []]
      for (let n = 0; n < MESSAGES; n++) {
        const text = `message-${n}`
        await bare.press(text, (shown) => shown.includes(text))
        reference.push(await arrival(bare, file, text))
        await screen.press('M', (shown) => shown.includes('Say to'))
        await screen.press(text, (shown) => shown.includes(text))
        ours.push(await arrival(screen, heard, text))
        await sleep(200 + Math.random() * 100)
      }
      const ratio = median(ours) / median(reference)
      return {
        what: `a message from the enter key to its agent's input / a line of Ink through a bare pipe (${middleAndWorst(reference)})`,
        measured: `p50 ${ratio.toFixed(1)}×, p99 ${(quantile(ours, 0.99) / quantile(reference, 0.99)).toFixed(1)}× (${middleAndWorst(ours)})`,
        target: 'none',
        kept: null,
      }
    } finally {
      await bare.end()
    }
  })

/** Milliseconds from the enter key to the moment that the agent has written down. */
const arrival = async (screen: Screen, file: string, text: string): Promise<number> => {
  const begun = process.hrtime.bigint()
  void screen.press('\r', () => true)
  for (;;) {
    const line = existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .find((one) => one.endsWith(` ${text}`))
      : undefined
    if (line !== undefined) return Number(BigInt(line.split(' ')[0]!) - begun) / 1e6
    await sleep(5)
  }
}

/** The agent that takes in every message at once and works until its input ends. */
const talker = fileURLToPath(new URL('../workers/talker.ts', import.meta.url))

interface Talkers {
  readonly root: string
  readonly screen: Screen
  /** The files that the agents print to, the agent of the first task first. */
  readonly outputs: readonly string[]
  /** The file in which the agents write when they took a message in. */
  readonly heard: string
}

/** A console with this many agents at work that speak, each in a worktree of its own. */
const withTalkers = async <T>(count: number, use: (talkers: Talkers) => Promise<T>): Promise<T> => {
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
const wordsOf = (text: string): string =>
  `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] }, session_id: 'session-1' })}\n`
