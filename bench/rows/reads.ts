import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { person } from '../../src/domain/agent/actor.ts'
import { boardColumns } from '../../src/domain/task/task.ts'
import { findTasks } from '../../src/operations/screens/search.ts'
import { getTaskLogs } from '../../src/operations/tasks/detail.ts'
import type { Core } from '../../src/operations/perform/core.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { listEvents } from '../../src/operations/sessions/sessions.ts'
import { readBoard } from '../../src/operations/screens/board.ts'
import { readColumns } from '../../src/operations/screens/columns.ts'
import { readDependencyTree, readOpenDependencies } from '../../src/operations/screens/dependency-tree.ts'
import { readPace } from '../../src/operations/screens/pace.ts'
import { readSessionPart, reportParts } from '../../src/operations/sessions/report.ts'
import { bareProgram, screensFile } from '../bare-program.ts'
import { openBenchCore } from '../bench-core.ts'
import { bothSizes } from '../board.ts'
import { processorTime } from '../both-sizes.ts'
import { repositoryOf } from '../repository.ts'
import { median, ms, type Row } from '../row.ts'
import { openScreen } from '../screen.ts'

const READS = 15

/** Filter words of every kind. */
const filters = [
  'number 77',
  'state:failed',
  'state:pending,blocked',
  'age>10m',
  'time>10m',
  'is:available',
  'is:stalled',
  'persona:impl* board',
  '-persona:tester',
  'priority>50',
  'agent:bench-1',
]

/** The reads that the console makes in one go: no key is answered before they end. */
const pieces = (core: Core, tasks: number): Readonly<Record<string, () => Promise<unknown>>> => ({
  'board window': () => perform(core, readBoard, { around: tasks / 2 }, person),
  columns: () =>
    perform(
      core,
      readColumns,
      {
        columns: boardColumns.map((column) => ({ column, around: tasks / 2 })),
        selected: tasks / 2,
        before: 60,
        after: 70,
      },
      person,
    ),
  tree: () => perform(core, readDependencyTree, { at: tasks / 2, before: 60, after: 70 }, person),
  'end of the tree': () => perform(core, readDependencyTree, { at: 'last', before: 60, after: 70 }, person),
  'page of the critical path': () =>
    perform(core, readOpenDependencies, { after: { taskId: Math.floor(tasks / 2), dependsOn: 0 } }, person),
  ...Object.fromEntries(
    reportParts.map((part) => [`plots, ${part}`, () => perform(core, readSessionPart, { part }, person)]),
  ),
  'pace in the header': () => perform(core, readPace, {}, person),
  'logs, first 2,000': () => perform(core, getTaskLogs, { last: 2000 }, person),
  'timeline, 1,000 events': () => perform(core, listEvents, { afterId: 5000, limit: 1000 }, person),
  ...Object.fromEntries(
    filters.map((where) => [
      `2,000 numbers through ${where}`,
      () => perform(core, findTasks, { where, from: 1 + tasks / 2, span: 2000 }, person),
    ]),
  ),
})

/** Processor time (ms): other processes interrupt a long read more often than a short one. */
const spent = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const FRAMES = 100

/** The processor time in which bare Ink draws one frame of 200×50 (ms). */
const spentOnAFrame = async (): Promise<number> => {
  const screenOf = (cursor: number): string =>
    Array.from({ length: 50 }, (_, at) =>
      `${at % 2 === cursor ? '▸' : ' '} row ${at} `.padEnd(199, 'of the board '),
    ).join('\n')
  const bare = openScreen(
    [process.execPath, await bareProgram('bare-screen'), screensFile([screenOf(0), screenOf(1)])],
    {
      columns: 200,
      rows: 50,
      cwd: tmpdir(),
    },
  )
  try {
    await bare.until((text) => text.includes('▸ row 0'))
    // Ink reads keys only after its first frame.
    await sleep(300)
    const before = processorTime(bare.pid)
    for (let n = 1; n <= FRAMES; n++) await bare.press('j', (text) => text.includes(`▸ row ${n % 2} `))
    return (processorTime(bare.pid) - before) / FRAMES
  } finally {
    await bare.end()
  }
}

/**
 * Each read of the console's panes, at both sizes, in processor time: none may keep a key waiting for much
 * longer than a frame that bare Ink draws. The slowest three are named.
 */
export const reads = async (): Promise<Row> => {
  const boards = []
  for (const size of bothSizes) {
    const core = await openBenchCore(join(await repositoryOf(size), '.aiswarm'))
    boards.push({
      name: `${size.tasks.toLocaleString('en')} tasks`,
      core,
      pieces: pieces(core, size.tasks),
      taken: new Map<string, number>(),
    })
  }
  for (const piece of Object.keys(boards[0]!.pieces)) {
    const times = boards.map((): number[] => [])
    for (let n = 0; n < READS; n++) {
      for (const [at, board] of boards.entries()) {
        const began = spent()
        await board.pieces[piece]!()
        times[at]!.push(spent() - began)
      }
    }
    boards.forEach(({ taken }, at) => taken.set(piece, median(times[at]!)))
  }
  for (const { core } of boards) core.store.close()
  const frame = await spentOnAFrame()
  const slowest = boards.map(({ taken }) =>
    [...taken].map(([piece, time]) => [piece, time / frame] as const).sort((a, b) => b[1] - a[1]),
  )
  return {
    what: `longest read in one go, of all panes / a frame of bare Ink, 200×50, processor time (${ms(frame)})`,
    measured: boards.map(({ name }, at) => [
      name,
      slowest[at]!.slice(0, 3)
        .map(([piece, ratio]) => `${piece} ${ratio.toFixed(2)}×`)
        .join('; '),
    ]),
    target: '≤ 1.5×',
    kept: slowest.every((all) => all[0]![1] <= 1.5),
  }
}
