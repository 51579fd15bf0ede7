import { setTimeout as sleep } from 'node:timers/promises'
import { processorTime, type Sized, withBothSizes } from '../both-sizes.ts'
import { bareProgram, screensFile } from '../bare-program.ts'
import { program } from '../repository.ts'
import { median, ms, quantile, type Row } from '../row.ts'
import { openScreen, type Screen } from '../screen.ts'

/** The key to press in a view, and the place on the screen that shows its effect. */
interface View {
  readonly what: string
  /** Keys to the view from the panes, each with the text that the screen then shows. */
  readonly open: readonly (readonly [keys: string, shows: RegExp])[]
  /** The n-th key. */
  readonly key: (n: number) => string
  /** The part that changes with every key, and only with a key. */
  readonly mark: (lines: readonly string[]) => string
}

const PRESSES = 125

/**
 * This many keys in one console, then in the other: no person types in two, and later work of a key must not meet a
 * key of the other.
 */
const AT_A_TIME = 25

/** Milliseconds between two keys: the repeat rate of a held key. */
const GAP = 30

/** Milliseconds in which the first console on a board has written its files, which uses the other processor. */
const BEGUN = 6000

const begun = new Set<string>()

/** Milliseconds after which all work of the last key is done. */
const SETTLED = 300

const cursor = (lines: readonly string[]): string => lines.filter((line) => line.includes('▸')).join('\n')
const body = (lines: readonly string[]): string => lines.slice(1, -3).join('\n')
/** The typed text, without the match count. */
const typedText = (lines: readonly string[]): string =>
  lines.map((line) => /^ \/ (.*?)(?: {2,}|$)/.exec(line)?.[1] ?? '').join('')

const upAndDown = (n: number): string => (n % 60 < 30 ? 'j' : 'k')
const ends = (n: number): string => (n % 2 === 0 ? 'G' : 'g')

/** Typed letter by letter, then deleted again. */
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
  logs: {
    what: 'in the logs of all agents',
    open: [['L', /Logs of all agents/]],
    key: (n) => (n % 4 < 3 ? 'k' : 'j'),
    mark: body,
  },
  'logs-search': {
    what: 'in the logs, to the next that was sought (n, N)',
    open: [
      ['L', /Logs of all agents/],
      ['/needle\r', /\/needle/],
    ],
    key: (n) => (n % 20 < 10 ? 'n' : 'N'),
    mark: body,
  },
  plots: {
    what: 'in the plots, from part to part',
    open: [['P', /Burn-down/]],
    key: () => '\t',
    mark: (lines) => lines[1] ?? '',
  },
  timeline: {
    what: 'in the timeline',
    open: [['T', /\[The past .* [1-9]\d* tasks/]],
    key: (n) => (n % 60 < 30 ? 'h' : 'l'),
    mark: body,
  },
  'found-tree': {
    what: 'in the tree under a filter',
    open: [columns, tree, ['/state:pending\r', /state:pending/]],
    key: upAndDown,
    mark: cursor,
  },
  filter: {
    what: 'while the words of a filter are typed',
    open: [['/', /enter keep/]],
    key: typed('generated'),
    mark: typedText,
  },
} as const satisfies Readonly<Record<string, View>>

/**
 * From a key written to the terminal to its frame, at both sizes, compared with a bare bundled Ink program that draws
 * the same two screens in turn, alternating. The processor time includes all the work that a key causes.
 */
export const keyToFrame = (view: View) => (): Promise<Row> =>
  withBothSizes(async (consoles) => {
    await warmUp(consoles[0]!.root, view)
    for (const { screen } of consoles) await openView(screen, view)
    if (consoles.some(({ root }) => !begun.has(root))) await sleep(BEGUN)
    for (const { root } of consoles) begun.add(root)
    const screens: string[] = []
    for (const { screen } of consoles) {
      screens.push(screen.text())
      await answered(screen, view, view.key(0))
      screens.push(screen.text())
    }
    const bare = openScreen([process.execPath, await bareProgram('bare-screen'), screensFile(screens.slice(0, 2))], {
      columns: 200,
      rows: 50,
      cwd: consoles[0]!.root,
    })
    try {
      await bare.until((text) => text.trim() !== '')
      // Ink reads keys only after its first frame.
      await sleep(SETTLED)
      return await alternating(view, bare, consoles)
    } finally {
      await bare.end()
    }
  })

const alternating = async (view: View, bare: Screen, consoles: readonly Sized[]): Promise<Row> => {
  const anyLine: View = { ...view, mark: (lines) => lines.join('\n') }
  const [reference, ...taken] = [bare, ...consoles.map(({ screen }) => screen)].map((): number[] => [])
  const turns = [
    { screen: bare, view: anyLine, times: reference! },
    ...consoles.map(({ screen }, at) => ({ screen, view, times: taken[at]! })),
  ]
  const before = consoles.map(({ screen }) => processorTime(screen.pid))
  for (let from = 1; from <= PRESSES; from += AT_A_TIME) {
    for (const { screen, view, times } of turns) {
      for (let n = from; n < from + AT_A_TIME; n++) {
        times.push(await answered(screen, view, screen === bare ? 'j' : view.key(n)))
        await sleep(GAP)
      }
      await sleep(SETTLED)
    }
  }
  const ratio = (times: readonly number[], q: number): number => quantile(times, q) / quantile(reference!, q)
  return {
    what: `key → frame, 200×50, ${view.what} / bare bundled Ink with the same screens (p50 ${ms(median(reference!))}, p99 ${ms(quantile(reference!, 0.99))})`,
    measured: consoles.map(({ name, screen }, at) => [
      name,
      `p50 ${ratio(taken[at]!, 0.5).toFixed(2)}× (${ms(median(taken[at]!))}), p99 ${ratio(taken[at]!, 0.99).toFixed(2)}× (${ms(quantile(taken[at]!, 0.99))}); ${ms((processorTime(screen.pid) - before[at]!) / PRESSES)} of a processor a key`,
    ]),
    target: 'p50 ≤ 1.5×, p99 ≤ 2×',
    kept: taken.every((times) => ratio(times, 0.5) <= 1.5 && ratio(times, 0.99) <= 2),
  }
}

const openView = async (screen: Screen, view: View): Promise<void> => {
  for (const [keys, shows] of view.open) await screen.press(keys, (text) => shows.test(text))
  // Rows that arrive after the title would be taken for the answer to the first key.
  if (view.open.length > 0) await still(screen)
}

/** Waits until nothing was written for a while. */
const still = async (screen: Screen): Promise<void> => {
  for (let before = -1; screen.bytes() !== before; await sleep(SETTLED)) before = screen.bytes()
}

/** The measuring code runs first on a console that is not measured; otherwise the first of the two would pay for its warm-up. */
const warmUp = async (root: string, view: View): Promise<void> => {
  const screen = openScreen([process.execPath, program], { columns: 200, rows: 50, cwd: root })
  try {
    await screen.until((text) => text.includes('Task number'))
    await openView(screen, view)
    for (let n = 0; n < AT_A_TIME; n++) {
      await answered(screen, view, view.key(n))
      // A long frame comes in parts; two keys in one frame may show nothing.
      await sleep(GAP)
    }
  } finally {
    await screen.end()
  }
}

const answered = (screen: Screen, { mark }: View, key: string): Promise<number> => {
  const lines = (text: string): string => mark(text.split('\n'))
  const before = lines(screen.text())
  return screen.press(key, (text) => lines(text) !== before)
}
