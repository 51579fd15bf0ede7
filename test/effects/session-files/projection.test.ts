import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { boardPages } from '../../../src/effects/session-files/board.ts'
import { project, standAsWritten, type Written } from '../../../src/effects/session-files/projection.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { beginSession } from '../../../src/operations/sessions/begin-session.ts'
import { readSessionBoard } from '../../../src/operations/sessions/session-board.ts'
import { listEvents } from '../../../src/operations/sessions/sessions.ts'
import { importTasks } from '../../../src/operations/tasks/import.ts'
import { refused } from '../../support/core.ts'
import { openSwarm } from '../swarm.ts'

/** A session with this many tasks; the first has the lowest priority. */
const session = async (tasks: number) => {
  const swarm = await openSwarm()
  await perform(swarm.core, beginSession, {}, person)
  const drafts = Array.from({ length: tasks }, (_, at) => ({
    title: `task ${at + 1}`,
    personaId: 'implementer',
    priority: at === 0 ? 10 : 50,
  }))
  if (tasks > 0) await perform(swarm.core, importTasks, drafts, person)
  const written: Written = new Map()
  return {
    ...swarm,
    board: swarm.path('.serena/memories/task-board.md'),
    files: (): readonly string[] => readdirSync(swarm.path('.serena/memories')).sort(),
    write: () => project(swarm.world, written),
    stand: () => standAsWritten(swarm.world, written),
    problems: async () =>
      (await perform(swarm.core, listEvents, { limit: 1000 }, person))
        .filter(({ operation }) => operation === 'record_file_problem')
        .map(({ details }) => details),
    pages: async () => {
      const { session: running, priorities } = await perform(swarm.core, readSessionBoard, {}, swarm.world.actor)
      return boardPages(swarm.world, running!, priorities)
    },
  }
}

describe('the files of a session', () => {
  it('are current only after they were written', async () => {
    const { write, stand, files } = await session(2)
    expect(stand()).toBe(false)
    await write()
    expect([stand(), files()]).toEqual([true, ['orchestrator-session.md', 'task-board.md']])
  })

  it('leave no draft of a killed process, and the projector keeps fresh drafts and other files', async () => {
    const { world, write, files, path } = await session(2)
    await write()
    const folder = path('.serena/memories')
    const names = [
      '.task-board.md.0123456789ab.tmp',
      '.task-board.md.ba9876543210.tmp',
      '.notes.tmp',
      'a.0123456789ab.tmp',
    ]
    for (const name of names) writeFileSync(join(folder, name), 'half')
    for (const name of names.filter((_, at) => at !== 1)) utimesSync(join(folder, name), 1000, 1000)
    await write()
    expect(files()).toEqual([...names, 'orchestrator-session.md', 'task-board.md'].sort())
    // The next supervisor.
    await project(world, new Map())
    expect(files()).toEqual([...names.slice(1), 'orchestrator-session.md', 'task-board.md'].sort())
  })

  it('and the working memories of agents are not shown by git, unless a person has committed them', async () => {
    const { write, path, core } = await session(1)
    const status = (): string =>
      execFileSync('git', ['status', '--porcelain', '--untracked-files=all', '.ai', '.serena'], {
        cwd: core.root,
        encoding: 'utf8',
      })
    const note = (file: string): void => {
      mkdirSync(path('.ai/archive'), { recursive: true })
      writeFileSync(path(file), '{}')
    }
    await write()
    note('.ai/working_memory_dev.json')
    note('.ai/archive/archive_dev_2026-01-30.jsonl')
    expect(status()).toBe('')
    execFileSync('git', ['add', '--force', '.ai/working_memory_dev.json'], { cwd: core.root })
    expect(status()).toBe('A  .ai/working_memory_dev.json\n')
  })

  it('are not created without a session', async () => {
    const swarm = await openSwarm()
    const written: Written = new Map()
    await project(swarm.world, written)
    expect([standAsWritten(swarm.world, written), written.size]).toEqual([false, 0])
    expect(() => statSync(swarm.path('.serena/memories'))).toThrow(/ENOENT/)
  })

  it('are written only when the rows have changed', async () => {
    const { write, stand, board, task } = await session(2)
    await write()
    const inode = statSync(board).ino
    await write()
    expect([stand(), statSync(board).ino]).toEqual([true, inode])
    await task({ title: 'one more' })
    await write()
    expect(stand()).toBe(true)
    expect(statSync(board).ino).not.toBe(inode)
    expect(readFileSync(board, 'utf8')).toContain('one more')
  })

  it.each<[string, (board: string) => void]>([
    ['longer', (board) => appendFileSync(board, 'ha\n')],
    [
      'as long and as old as before, with another word',
      (board) => {
        execFileSync('touch', ['-r', board, `${board}.times`])
        writeFileSync(board, readFileSync(board, 'utf8').replace('task 1', 'tusk 1'))
        execFileSync('touch', ['-r', `${board}.times`, board])
      },
    ],
  ])('that are %s after an edit by hand are written again, which is reported', async (_, change) => {
    const { write, stand, board, problems } = await session(2)
    await write()
    const whole = readFileSync(board, 'utf8')
    change(board)
    expect(stand()).toBe(false)
    expect(await problems()).toEqual([])
    await write()
    expect([stand(), readFileSync(board, 'utf8')]).toEqual([true, whole])
    expect(await problems()).toMatchObject([
      { file: 'task-board.md', problem: expect.stringContaining('was changed by another program') as string },
    ])
  })

  it('that were deleted or replaced by a copy are written again without a report', async () => {
    const { write, stand, board, problems } = await session(2)
    await write()
    const whole = readFileSync(board, 'utf8')
    rmSync(board)
    expect(stand()).toBe(false)
    await write()
    expect([stand(), readFileSync(board, 'utf8')]).toEqual([true, whole])
    copyFileSync(board, `${board}.copy`)
    renameSync(`${board}.copy`, board)
    expect(stand()).toBe(false)
    const inode = statSync(board).ino
    await write()
    // Its content is correct, so nothing is written.
    expect([stand(), statSync(board).ino, await problems()]).toEqual([true, inode, []])
  })

  it('are not written through a link in their place', async () => {
    const { write, stand, board, path } = await session(2)
    await write()
    writeFileSync(path('mine'), 'mine')
    rmSync(board)
    symlinkSync(path('mine'), board)
    expect(stand()).toBe(false)
    expect(await refused(write())).toBe('file_unreadable')
    expect([stand(), readFileSync(path('mine'), 'utf8')]).toEqual([false, 'mine'])
    rmSync(board)
    await write()
    expect(stand()).toBe(true)
  })
})

describe('a board of 700 tasks', () => {
  it('is exported completely, each task once and in order, and other work runs between two pages', async () => {
    const { pages } = await session(700)
    const [ids, tiers]: [number[], (number | null)[]] = [[], []]
    let [read, turns] = [0, 0]
    for await (const page of await pages()) {
      expect(turns).toBe(read++)
      setImmediate(() => turns++)
      ids.push(...page.map(({ id }) => id))
      tiers.push(...page.map(({ tier }) => tier))
    }
    expect(ids).toEqual(Array.from({ length: 700 }, (_, at) => at + 1))
    expect(tiers).toEqual([2, ...Array.from({ length: 699 }, () => 1)])
    expect(read).toBeGreaterThan(1)
  })

  it('contains tasks that were added during the export, even with a priority below all others', async () => {
    const { pages, task } = await session(400)
    const reading = await pages()
    const first = (await reading.next()).value as readonly { id: number }[]
    await task({ title: 'late', priority: 70 })
    const rest: { id: number; title: string; tier: number | null }[] = []
    for await (const page of reading) rest.push(...page)
    expect(first.length + rest.length).toBe(401)
    expect(rest.at(-1)).toMatchObject({ id: 401, title: 'late', tier: 3 })
  })

  it('ends with its last page even if that is full', async () => {
    const { pages } = await session(300)
    const lengths: number[] = []
    for await (const page of await pages()) lengths.push(page.length)
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(300)
    await turn()
  })
})
