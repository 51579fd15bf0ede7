import { execFile } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import type { ProcessObservation } from '../../src/operations/kernel/outside.ts'
import { type Meter, makeMeter } from '../../src/ui/gauge/meter.ts'
import { gaugeRows } from '../../src/ui/gauge/keys.ts'
import { gaugeHeight, gaugeLines, unmeasured } from '../../src/ui/gauge/state.ts'
import { keyRows } from '../../src/ui/keys.ts'
import { modes } from '../../src/ui/modes.ts'
import { linesSpoken } from '../../src/ui/spoken/lines.ts'
import { type ConsoleState, initialState } from '../../src/ui/state.ts'
import { openFixture } from './fixture.ts'
import { openScreen } from './screen.ts'

const at = '2026-01-30T14:22:33.000Z'
const waits = { times: 2, ms: 30, longest: 20 }
let meter: Meter | undefined
const open = (): { meter: Meter; stdout: NodeJS.WriteStream } => {
  meter = makeMeter(() => waits)
  return { meter, stdout: meter.measured(new PassThrough().resume() as unknown as NodeJS.WriteStream) }
}
afterEach(() => meter?.stop())

test('a key is measured to the first bytes behind it, and each only once', async () => {
  const { meter, stdout } = open()
  stdout.write('a frame that no key asked for')
  expect(meter.read().keys.count).toBe(0)
  meter.keyArrived()
  await pause(5)
  meter.keyArrived()
  stdout.write('the frame of both')
  stdout.write('more of it')
  const { keys } = meter.read()
  expect(keys.count).toBe(1)
  expect(keys.p99).toBeGreaterThanOrEqual(4)
  expect(keys.p50).toBe(keys.p99)
})

test('a key that no frame answers is not measured to the next frame of the clock', async () => {
  const { meter, stdout } = open()
  meter.keyArrived()
  await pause(200)
  stdout.write('the clock')
  expect(meter.read().keys.count).toBe(0)
})

test('a frame that was held up counts with all its time', async () => {
  const { meter, stdout } = open()
  meter.keyArrived()
  const until = performance.now() + 150
  while (performance.now() < until);
  setTimeout(() => stdout.write('late'), 1)
  await pause(30)
  expect(meter.read().keys).toMatchObject({ count: 1 })
  expect(meter.read().keys.p99).toBeGreaterThan(150)
})

test('bytes, refreshes, waits and processes are counted', async () => {
  const { meter, stdout } = open()
  meter.read()
  stdout.write('füf')
  stdout.write(Buffer.from([1, 2, 3]))
  await meter.refreshing(() => pause(3))()
  const running = promisify(execFile)('sleep', ['0.2'])
  const during = meter.read()
  expect(during).toMatchObject({ bytes: { all: 7 }, refreshes: { count: 1 }, waits, own: { running: 1, started: 1 } })
  expect(during.bytes.perSecond).toBeGreaterThan(0)
  await running
  await pause(20)
  expect(meter.read().own).toEqual({ running: 0, started: 1 })
})

test.each([200, 100, 80, 60, 40])('at %i columns the lines fill no more than their room, and none jumps as the numbers grow', (columns) => {
  const large = {
    ...unmeasured,
    keys: { count: 9, p50: 123_456, p99: 999_999 },
    bytes: { all: 9e12, perSecond: 9e9 },
    waits: { times: 1, ms: 1e7, longest: 1e6 },
  }
  for (const gauge of [unmeasured, large]) {
    const lines = gaugeLines({ gauge, processes: {} }, columns)
    expect(lines).toHaveLength(gaugeHeight({ gauge }, columns, 24))
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns)
  }
})

test.each([
  [40, 12],
  [39, 20],
  [20, 5],
])('at %i×%i, where it has no room beside the rest, it takes none', (columns, rows) => {
  expect(gaugeHeight({ gauge: unmeasured }, columns, rows)).toBe(0)
})

test.each([
  [60, 12],
  [45, 11],
])('at %i×%i its key says why it shows nothing, and hides it all the same', (columns, rows) => {
  const here = { ...initialState(at), view: { ...initialState(at).view, size: { columns, rows } } }
  expect(gaugeRows[0]!.blocked!(here)).toBe('The gauge has no room here: it needs more rows.')
  expect(gaugeRows[0]!.blocked!({ ...here, gauge: unmeasured })).toBeUndefined()
  expect(gaugeRows[0]!.blocked!({ ...here, view: { ...here.view, size: { columns, rows: 13 } } })).toBeUndefined()
})

test.each([
  ['on the panes', []],
  ['while a filter is typed', ['/']],
  ['while words of the logs are looked for', ['L', '/']],
])('where it has no room that is said %s', async (_, keys) => {
  const fixture = await openFixture()
  await fixture.addTask('Draw the duck')
  const screen = openScreen(fixture, { columns: 60, rows: 12 })
  try {
    await screen.shows('Draw the duck')
    await screen.press(...keys, '\u0007')
    await screen.shows('The gauge has no room here: it needs more rows.')
    screen.resize(60, 13)
    // The footer stands in the twelfth line.
    await screen.shows(/^(?:.*\n){11} \S/)
    await screen.press('\u0007')
    await screen.shows('key→frame')
    await screen.lacks('more rows')
  } finally {
    await screen.close()
    fixture.close()
  }
})

test('where the panes are read aloud its key asks for no more rows than it needs', () => {
  const aloud = (all: number): ConsoleState => {
    const state = initialState(at)
    return { ...state, comfort: { ...state.comfort, spoken: true }, view: { ...state.view, size: { columns: 80, rows: all - linesSpoken(80, all) } } }
  }
  expect(gaugeRows[0]!.blocked!(aloud(12))).toMatch('more rows')
  expect(gaugeRows[0]!.blocked!(aloud(14))).toBeUndefined()
})

test('its processes are named, and a number that has no room is not cut into another one', () => {
  const linesOf = (started: number, columns: number): string =>
    gaugeLines({ gauge: { ...unmeasured, own: { running: 0, started } }, processes: { 'agent-1': { processes: 3 } as ProcessObservation } }, columns).join('\n')
  for (const columns of [200, 120, 80, 60]) expect(linesOf(390, columns)).toContain('procs: agents 3, own 0/390 ')
  expect(linesOf(123_456_789, 60)).toContain('procs: agents 3, own 0/12345… ')
})

test('its key works wherever one is', () => {
  expect(keyRows.find(({ id }) => id === 'gauge')?.modes).toEqual(modes)
})

test('it is shown below everything, over any other mode, and goes again', async () => {
  const fixture = await openFixture()
  await fixture.addTask('Draw the duck')
  const screen = openScreen(fixture, { columns: 200, rows: 20 })
  try {
    await screen.shows('Draw the duck')
    expect(screen.text()).not.toContain('key→frame')
    await screen.press('\u0007')
    await screen.shows(/key→frame: no key yet|key→frame p50/)
    await screen.press('2', '1', ':')
    await screen.shows(/key→frame p50 [\d.]+ p99 [\d.]+ ms +refresh p50 .* wrote .* db wait [\d.]+ ms.* procs: agents 0, own \d+\/\d+ +held up/)
    await screen.shows('enter run')
    const lines = screen.text().split('\n')
    expect(lines.at(-2)).toContain('key→frame')
    screen.resize(60, 16)
    await screen.shows(/key→frame p50[^]*\n[^]*wrote[^]*\n[^]*procs/)
    screen.resize(40, 12)
    await screen.lacks('key→frame')
    await screen.lacks('needs room')
    screen.resize(20, 5)
    await screen.shows('this is 20×5')
    screen.resize(60, 16)
    await screen.shows('key→frame')
    await screen.press('\u0007')
    await screen.lacks('key→frame')
  } finally {
    await screen.close()
    fixture.close()
  }
})
