import { execFileSync } from 'node:child_process'
import { appendFileSync, copyFileSync, readFileSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { person } from '../../src/domain/actor.ts'
import { project, standAsWritten, type Written } from '../../src/effects/projector.ts'
import { boardPages } from '../../src/effects/session-board.ts'
import { beginSession } from '../../src/operations/begin-session.ts'
import { importTasks } from '../../src/operations/import-tasks.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { listEvents } from '../../src/operations/list-events.ts'
import { readSessionBoard } from '../../src/operations/read-session-board.ts'
import { refused } from '../support/core.ts'
import { openSwarm } from './swarm.ts'

/** A session of so many tasks; the first has the least priority. */
const session = async (tasks: number) => {
  const swarm = await openSwarm()
  await perform(swarm.core, beginSession, {}, person)
  const drafts = Array.from({ length: tasks }, (_, at) => ({ title: `task ${at + 1}`, personaId: 'implementer', priority: at === 0 ? 10 : 50 }))
  if (tasks > 0) await perform(swarm.core, importTasks, drafts, person)
  const written: Written = new Map()
  return {
    ...swarm,
    board: swarm.path('.serena/memories/task-board.md'),
    files: (): readonly string[] => readdirSync(swarm.path('.serena/memories')).sort(),
    write: () => project(swarm.world, written),
    stand: () => standAsWritten(swarm.world, written),
    problems: async () =>
      (await perform(swarm.core, listEvents, { limit: 1000 }, person)).filter(({ operation }) => operation === 'record_file_problem').map(({ details }) => details),
    pages: async () => {
      const { session: running, priorities } = await perform(swarm.core, readSessionBoard, {}, swarm.world.actor)
      return boardPages(swarm.world, running!, priorities)
    },
  }
}

describe('the files of a session', () => {
  it('do not stand before they were written, and stand then', async () => {
    const { write, stand, files } = await session(2)
    expect(stand()).toBe(false)
    await write()
    expect([stand(), files()]).toEqual([true, ['orchestrator-session.md', 'task-board.md']])
  })

  it('leave no draft behind that somebody was killed over, and touch neither a fresh one nor anything else', async () => {
    const { world, write, files, path } = await session(2)
    await write()
    const folder = path('.serena/memories')
    const names = ['.task-board.md.0123456789ab.tmp', '.task-board.md.ba9876543210.tmp', '.notes.tmp', 'a.0123456789ab.tmp']
    for (const name of names) writeFileSync(join(folder, name), 'half')
    for (const name of names.filter((_, at) => at !== 1)) utimesSync(join(folder, name), 1000, 1000)
    await write()
    expect(files()).toEqual([...names, 'orchestrator-session.md', 'task-board.md'].sort())
    // Whoever supervises next.
    await project(world, new Map())
    expect(files()).toEqual([...names.slice(1), 'orchestrator-session.md', 'task-board.md'].sort())
  })

  it('are not made where there is no session', async () => {
    const swarm = await openSwarm()
    const written: Written = new Map()
    await project(swarm.world, written)
    expect([standAsWritten(swarm.world, written), written.size]).toEqual([false, 0])
    expect(() => statSync(swarm.path('.serena/memories'))).toThrow(/ENOENT/)
  })

  it('are left alone where they say what the rows say, and written where these have changed', async () => {
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
  ])('that somebody made %s do not stand: they are written anew, and that is told', async (_, change) => {
    const { write, stand, board, problems } = await session(2)
    await write()
    const whole = readFileSync(board, 'utf8')
    change(board)
    expect(stand()).toBe(false)
    expect(await problems()).toEqual([])
    await write()
    expect([stand(), readFileSync(board, 'utf8')]).toEqual([true, whole])
    expect(await problems()).toMatchObject([{ file: 'task-board.md', problem: expect.stringContaining('was changed by another hand') as string }])
  })

  it('that somebody took away, or put a copy of in their place, do not stand; of that nothing is to be told', async () => {
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
    // It says what it should, so nothing is written.
    expect([stand(), statSync(board).ino, await problems()]).toEqual([true, inode, []])
  })

  it('are not written through a link that somebody put in the place of one', async () => {
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
  it('is given whole, each task once and in order, and others have their turn between two pages', async () => {
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

  it('has also what was put on it while it was read, of a priority that nobody had behind all others', async () => {
    const { pages, task } = await session(400)
    const reading = await pages()
    const first = (await reading.next()).value as readonly { id: number }[]
    await task({ title: 'late', priority: 70 })
    const rest: { id: number; title: string; tier: number | null }[] = []
    for await (const page of reading) rest.push(...page)
    expect(first.length + rest.length).toBe(401)
    expect(rest.at(-1)).toMatchObject({ id: 401, title: 'late', tier: 3 })
  })

  it('ends with its last page also where that is full', async () => {
    const { pages } = await session(300)
    const lengths: number[] = []
    for await (const page of await pages()) lengths.push(page.length)
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(300)
    await turn()
  })
})
