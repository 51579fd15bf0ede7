import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { person } from '../../src/domain/agent/actor.ts'
import { openWorld } from '../../src/effects/opening/open-core.ts'
import { outsideOf } from '../../src/effects/opening/outside.ts'
import { openStore } from '../../src/db/sqlite/open.ts'
import { createWorktree } from '../../src/operations/worktrees/create.ts'
import { act, perform } from '../../src/operations/perform/perform.ts'
import { readBoard } from '../../src/operations/screens/board.ts'
import { boardArrived } from '../../src/ui/core/reducers.ts'
import { move, toFirst, toLast } from '../../src/ui/panes/movement.ts'
import { open } from '../../src/ui/core/overlays.ts'
import { reviewArrived } from '../../src/ui/views/review/feed.ts'
import { START } from '../../src/ui/actions/integration.ts'
import { approvalIn, windowOf } from '../../src/ui/views/review/review.ts'
import { type ConsoleState, changingView } from '../../src/ui/core/state.ts'
import { initialState } from '../../src/ui/store.ts'
import { scratch } from '../bench-core.ts'
import { median, ms, quantile, type Row } from '../row.ts'

const LINES = 100_000
const ROUNDS = 7
const PAGES = 300
/** A page takes the least of its times in these passes: what another process takes from one of them is not the page's. */
const PASSES = 3
/** The lines of a page on a terminal of 50. */
const PAGE = 43

/** From opening the review of 100,000 changed lines to its first page, next to the bare `git diff`; then a page at a time. */
export const review = async (): Promise<Row> => {
  const root = join(scratch(), 'bench')
  const git = (folder: string, ...args: string[]): Buffer =>
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], {
      cwd: folder,
      maxBuffer: 1024 ** 3,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  mkdirSync(root)
  git(root, 'init', '--initial-branch=main')
  writeFileSync(
    join(root, 'many.ts'),
    linesOf((n) => `export const value${n} = compute(${n}, 'some words') // as it was`),
  )
  git(root, 'add', '--all')
  git(root, 'commit', '--message', 'Begin')
  const world = await openWorld(root, {
    openStore: (path) => openStore(path, { migrations: new URL('../../migrations', import.meta.url).pathname }),
    self: [],
    warn: () => {},
  })
  const outside = outsideOf(world)
  const { path } = await act({ core: world.core, actor: person, outside }, createWorktree, {
    name: 'large',
    branchName: 'large',
  })
  writeFileSync(
    join(path, 'many.ts'),
    linesOf((n) =>
      n % 2 === 0
        ? `export const value${n} = compute(${n}, 'other words') // as it is`
        : `export const value${n} = compute(${n}, 'some words') // as it was`,
    ),
  )
  git(path, 'commit', '--all', '--message', 'Much')

  const board = await perform(world.core, readBoard, {}, person)
  const [bare, opened]: [number[], number[]] = [[], []]
  let state: ConsoleState = initialState(world.core.clock())
  for (let n = 0; n < ROUNDS; n++) {
    bare.push(await timed(() => git(root, 'diff', 'main', 'large')))
    state = [
      boardArrived(board),
      changingView(() => ({ size: { columns: 200, rows: 50 } })),
      open({ kind: 'approval', worktree: 'large', at: START, offset: 0, folded: [], sought: '' }),
    ].reduce((all, step) => step(all), state)
    opened.push(
      await timed(async () => {
        state = reviewArrived(await outside.reviewWorktree('large'))(state)
        page(state)
      }),
    )
  }
  const passes: number[][] = []
  for (let pass = 0; pass < PASSES; pass++) {
    // Read again, so that each pass makes its rows itself.
    state = reviewArrived(await outside.reviewWorktree('large'))(toFirst(state))
    const times: number[] = []
    for (let n = 0; n < PAGES; n++) {
      times.push(
        await timed(() => {
          state = n === PAGES / 2 ? toLast(state) : move(n < PAGES / 2 ? PAGE : -PAGE)(state)
          page(state)
        }),
      )
    }
    passes.push(times)
  }
  const pages = passes[0]!.map((_, n) => Math.min(...passes.map((times) => times[n]!)))
  world.core.store.close()
  const ratio = median(opened) / median(bare)
  const steady = quantile(pages, 0.99) / median(pages)
  return {
    what: 'review of 100,000 changed lines: opened to first page / bare git diff; then a page',
    measured: `${ratio.toFixed(2)}× (${ms(median(opened))} / ${ms(median(bare))}); the slowest of 100 pages ${steady.toFixed(2)}× the middle one (${ms(median(pages))})`,
    target: '≤ 4×; a page ≤ 4× the middle one',
    kept: ratio <= 4 && steady <= 4,
  }
}

const page = (state: ConsoleState): void => {
  if (!windowOf(state, approvalIn(state.view.overlay)!, PAGE)?.lines.length) throw new Error('the page is empty')
}

const linesOf = (line: (n: number) => string): string =>
  `${Array.from({ length: LINES }, (_, n) => line(n)).join('\n')}\n`

const timed = async (work: () => unknown): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}
