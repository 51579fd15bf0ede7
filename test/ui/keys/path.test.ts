import { ChildProcess } from 'node:child_process'
import SqliteDatabase from 'better-sqlite3'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { table } from '../../../src/ui/views/index.ts'
import { type Fixture, openFixture } from '../fixture.ts'
import { openScreen, type Screen } from '../screen.ts'

// Keys in consoles of this kind are seldom delayed by drawing: usually a process is started or a lock is awaited.

let fixture: Fixture
let screen: Screen

beforeEach(async () => void (fixture = await openFixture()))

afterEach(async () => {
  vi.restoreAllMocks()
  await screen.close()
  fixture.close()
})

/** Every call that may use a process or a lock: reads of the world outside, writes, processes. */
const watched = ({ core, world }: Fixture) => {
  // These run by themselves, whatever key is pressed: a check every few seconds, and the output files of agents.
  const byThemselves = new Set([
    'observeWorktrees',
    'observeProcesses',
    'measureWorktrees',
    'readOutput',
    'readRawOutput',
    'radar',
    'nextChange',
  ])
  const looks: string[] = []
  for (const [name, value] of Object.entries(world)) {
    if (typeof value !== 'function' || byThemselves.has(name)) continue
    const real = value as (...args: unknown[]) => unknown
    Object.assign(world, { [name]: (...args: unknown[]) => (looks.push(name), real(...args)) })
  }
  const writes = vi.spyOn(core.store, 'write')
  const processes = vi.spyOn(ChildProcess.prototype as unknown as { spawn: () => void }, 'spawn')
  return { looks, writes, processes }
}

/** Keys of the panes that only show something; keys that may act ask first, or are left out here. */
const lookingKeys = (): readonly string[] => {
  const acting = new Set([
    'spawn',
    'retry',
    'integrate',
    'abort',
    'discard',
    'pause',
    'undo',
    'shell',
    'editor',
    'quit',
    'radar',
    'commands',
    'guard',
    'memory',
    'trail',
    'theme',
  ])
  const written: Readonly<Record<string, string>> = {
    tab: '\t',
    'shift-tab': '\u001b[Z',
    right: '\u001b[C',
    left: '\u001b[D',
    down: '\u001b[B',
    up: '\u001b[A',
    home: '\u001b[H',
    end: '\u001b[F',
    'page-down': '\u001b[6~',
    'page-up': '\u001b[5~',
    enter: '\r',
    escape: '\u001b',
  }
  return table.rows
    .filter(({ id, modes }) => modes.includes('list') && !acting.has(id))
    .flatMap(({ keys }) => keys)
    .flatMap((key) => (key.length === 1 ? [key] : written[key] === undefined ? [] : [written[key]]))
}

it('every key that only shows something is answered while another process holds the write lock, and uses no lock, no process and no external read', async () => {
  for (let n = 1; n <= 300; n++) await fixture.addTask(`task ${n}`)
  screen = openScreen(fixture, { columns: 200, rows: 50 })
  await screen.shows(/▸ +1 /)
  await screen.press('2', '1')
  const { looks, writes, processes } = watched(fixture)
  const waits = fixture.core.store.waits()
  const other = new SqliteDatabase(fixture.core.store.path)
  try {
    other.exec('BEGIN IMMEDIATE')
    const keys = lookingKeys()
    expect(keys.length).toBeGreaterThan(25)
    for (const key of keys) {
      await screen.press(key)
      // Leaves whatever it opened.
      await screen.press('\u001b')
    }
    await screen.press('1', 'g')
    await screen.shows(/▸.* task 1 /)
    await screen.press('j')
    await screen.shows(/▸.* task 2 /)
    await screen.press('G')
    await screen.shows(/▸.* task 300 /)
    expect({
      looks,
      writes: writes.mock.calls.length,
      processes: processes.mock.calls.length,
      waits: fixture.core.store.waits(),
    }).toEqual({
      looks: [],
      writes: 0,
      processes: 0,
      waits,
    })
  } finally {
    other.exec('ROLLBACK')
    other.close()
  }
  // This test detects a key that does write.
  await screen.press('p')
  await screen.shows('paused')
  expect(writes).toHaveBeenCalled()
})
