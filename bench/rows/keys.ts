import { setTimeout as sleep } from 'node:timers/promises'
import { processorTime, type Sized, withBothSizes } from '../both-sizes.ts'
import { program } from '../repository.ts'
import { median, middleAndWorst, ms, quantile, type Row } from '../row.ts'
import { openScreen, type Screen } from '../screen.ts'

/** What is pressed in a view, and where on the screen its answer is seen. */
interface View {
  readonly what: string
  /** Keys that lead there from the panes, each with what the screen then shows. */
  readonly open: readonly (readonly [keys: string, shows: RegExp])[]
  /** The n-th key. */
  readonly key: (n: number) => string
  /** Changes with every key, and with nothing else. */
  readonly mark: (lines: readonly string[]) => string
}

const PRESSES = 200

/** So many in one console, then in the other: nobody types in two, and what a key brings about later meets no key of the other. */
const AT_A_TIME = 25

/** Milliseconds between two keys: as fast as a key that is held down repeats. */
const GAP = 30

/** Milliseconds in which a console has made the files of its board, which takes the other processor. */
const BEGUN = 6000

/** Milliseconds in which what the last key brought about is over. */
const SETTLED = 300

const cursor = (lines: readonly string[]): string => lines.filter((line) => line.includes('▸')).join('\n')
const body = (lines: readonly string[]): string => lines.slice(1, -3).join('\n')
/** What has been typed, without what is told of it. */
const typedText = (lines: readonly string[]): string => lines.map((line) => /^ \/ (.*?)(?: {2,}|$)/.exec(line)?.[1] ?? '').join('')

const upAndDown = (n: number): string => (n % 60 < 30 ? 'j' : 'k')
const ends = (n: number): string => (n % 2 === 0 ? 'G' : 'g')

/** Typed letter by letter, then rubbed out again. */
const typed =
  (words: string) =>
  (n: number): string =>
    n % (2 * words.length) < words.length ? words[n % words.length]! : '\u007f'

const columns = ['b', /○ pending/] as const
const tree = ['b', /└|├─|╰/] as const

export const views = {
  key: { what: 'on the list', open: [], key: upAndDown, mark: cursor },
  ends: { what: 'on the list, to its ends (G, g)', open: [], key: ends, mark: cursor },
  columns: { what: 'on the columns', open: [columns], key: (n) => 'jjjlkkkh'[n % 8]!, mark: cursor },
  tree: { what: 'in the tree', open: [columns, tree], key: upAndDown, mark: cursor },
  'tree-ends': { what: 'in the tree, to its ends (G, g)', open: [columns, tree], key: ends, mark: cursor },
  logs: { what: 'in the logs of all agents', open: [['L', /Logs of all agents/]], key: (n) => (n % 60 < 30 ? 'k' : 'j'), mark: body },
  'logs-search': {
    what: 'in the logs, to the next that was sought (n, N)',
    open: [
      ['L', /Logs of all agents/],
      ['/needle\r', /\/needle/],
    ],
    key: (n) => (n % 20 < 10 ? 'n' : 'N'),
    mark: body,
  },
  plots: { what: 'in the plots, from part to part', open: [['P', /Burn-down/]], key: () => '\t', mark: (lines) => lines[1] ?? '' },
  timeline: { what: 'in the timeline', open: [['T', /\[The past .* [1-9]\d* tasks/]], key: (n) => (n % 60 < 30 ? 'h' : 'l'), mark: body },
  'found-tree': { what: 'in the tree under a filter', open: [columns, tree, ['/state:pending\r', /state:pending/]], key: upAndDown, mark: cursor },
  filter: { what: 'while the words of a filter are typed', open: [['/', /enter keeps/]], key: typed('generated'), mark: typedText },
} as const satisfies Readonly<Record<string, View>>

/**
 * A key written to the terminal until the frame that answers it is there, at both sizes in turns. What it takes of a
 * processor, with all that it brings about besides, can be compared on a busy machine as well.
 */
export const keyToFrame = (view: View) => (): Promise<Row> =>
  withBothSizes(async (consoles) => {
    await warmUp(consoles[0]!.root, view)
    for (const { screen } of consoles) await openView(screen, view)
    await sleep(BEGUN)
    const times = new Map<Sized, number[]>(consoles.map((one) => [one, []]))
    const before = consoles.map(({ screen }) => processorTime(screen.pid))
    for (let from = 0; from < PRESSES; from += AT_A_TIME) {
      for (const one of consoles) {
        for (let n = from; n < from + AT_A_TIME; n++) {
          times.get(one)!.push(await answered(one.screen, view, view.key(n)))
          await sleep(GAP)
        }
        await sleep(SETTLED)
      }
    }
    const all = [...times.values()]
    return {
      what: `key → frame, 200×50, ${view.what}`,
      measured: [...times].map(([{ name, screen }, taken], at) => [
        name,
        `${middleAndWorst(taken)}${at === 0 ? '' : ` (${(median(taken) / median(all[0]!)).toFixed(2)}×)`}; ${ms((processorTime(screen.pid) - before[at]!) / PRESSES)} of a processor a key`,
      ]),
      target: 'p99 ≤ 16 ms',
      kept: all.every((taken) => quantile(taken, 0.99) <= 16),
    }
  })

const openView = async (screen: Screen, view: View): Promise<void> => {
  for (const [keys, shows] of view.open) await screen.press(keys, (text) => shows.test(text))
}

/** What measures has run before, on a console that is not measured: else the first of the two pays for it. */
const warmUp = async (root: string, view: View): Promise<void> => {
  const screen = openScreen([process.execPath, program], { columns: 200, rows: 50, cwd: root })
  await screen.until((text) => text.includes('Task number'))
  await openView(screen, view)
  for (let n = 0; n < AT_A_TIME; n++) await answered(screen, view, view.key(n))
  await screen.end()
}

const answered = (screen: Screen, { mark }: View, key: string): Promise<number> => {
  const lines = (text: string): string => mark(text.split('\n'))
  const before = lines(screen.text())
  return screen.press(key, (text) => lines(text) !== before)
}
