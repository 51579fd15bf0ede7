import { execFile } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import type { ProcessObservation } from '../../../src/contracts/outside.ts'
import { type Meter, makeMeter } from '../../../src/ui/gauge/meter.ts'
import { whyNotGauge } from '../../../src/ui/gauge/state.ts'
import { gaugeHeight, gaugeLines } from '../../../src/ui/gauge/state.ts'
import { unmeasured } from '../../../src/ui/gauge/reading.ts'
import { table } from '../../../src/ui/views/index.ts'
import { linesSpoken } from '../../../src/ui/panes/spoken-lines.ts'
import { type ConsoleState } from '../../../src/ui/core/state.ts'
import { initialState } from '../../../src/ui/store.ts'
import { openFixture } from '../fixture.ts'
import { openScreen } from '../screen.ts'

const at = '2026-01-30T14:22:33.000Z'
const waits = { times: 2, ms: 30, longest: 20 }
let meter: Meter | undefined
const open = (): { meter: Meter; stdout: NodeJS.WriteStream } => {
  meter = makeMeter(() => waits)
  return { meter, stdout: meter.measured(new PassThrough().resume() as unknown as NodeJS.WriteStream) }
}
afterEach(() => meter?.stop())

test('a key is measured to the first bytes after it, and each only once', async () => {
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

test('a key without a frame is not measured to the next frame of the clock', async () => {
  const { meter, stdout } = open()
  meter.keyArrived()
  await pause(200)
  stdout.write('the clock')
  expect(meter.read().keys.count).toBe(0)
})

test('a delayed frame counts with its whole time', async () => {
  const { meter, stdout } = open()
  meter.keyArrived()
  const until = performance.now() + 150
  while (performance.now() < until);
  setTimeout(() => stdout.write('late'), 1)
  await pause(30)
  expect(meter.read().keys).toMatchObject({ count: 1 })
  expect(meter.read().keys.p99).toBeGreaterThan(150)
})

test('the gauge counts bytes, refreshes, waits and processes', async () => {
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

test.each([200, 100, 80, 60, 40])('the gauge at %i columns fits its room, and no line moves as the numbers grow', (columns) => {
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
])('the gauge at %i×%i takes no room that other parts need', (columns, rows) => {
  expect(gaugeHeight({ gauge: unmeasured }, columns, rows)).toBe(0)
})

test.each([
  [60, 12],
  [45, 11],
])("the gauge's key at %i×%i says why it shows nothing, and hides the gauge anyway", (columns, rows) => {
  const here = { ...initialState(at), view: { ...initialState(at).view, size: { columns, rows } } }
  expect(whyNotGauge(here)).toBe('The gauge needs more rows. Enlarge the terminal.')
  expect(whyNotGauge({ ...here, gauge: unmeasured })).toBeUndefined()
  expect(whyNotGauge({ ...here, view: { ...here.view, size: { columns, rows: 13 } } })).toBeUndefined()
})

test.each([
  ['on the panes', []],
  ['while a filter is typed', ['/']],
  ['while words of the logs are looked for', ['L', '/']],
])('the gauge without room says so %s', async (_, keys) => {
  const fixture = await openFixture()
  await fixture.addTask('Draw the duck')
  const screen = openScreen(fixture, { columns: 60, rows: 12 })
  try {
    await screen.shows('Draw the duck')
    await screen.press(...keys, '\u0007')
    await screen.shows('The gauge needs more rows. Enlarge the terminal.')
    screen.resize(60, 13)
    // The footer is in the twelfth line.
    await screen.shows(/^(?:.*\n){11} \S/)
    await screen.press('\u0007')
    await screen.shows('key→frame')
    await screen.lacks('more rows')
  } finally {
    await screen.close()
    fixture.close()
  }
})

test("the gauge's key requests only the rows that it needs if the panes are read aloud", () => {
  const aloud = (all: number): ConsoleState => {
    const state = initialState(at)
    return { ...state, preferences: { ...state.preferences, spoken: true }, view: { ...state.view, size: { columns: 80, rows: all - linesSpoken(80, all) } } }
  }
  expect(whyNotGauge(aloud(12))).toMatch('more rows')
  expect(whyNotGauge(aloud(14))).toBeUndefined()
})

test('the gauge names its processes, and a number without room is not cut', () => {
  const linesOf = (started: number, columns: number): string =>
    gaugeLines({ gauge: { ...unmeasured, own: { running: 0, started } }, processes: { 'agent-1': { processes: 3 } as ProcessObservation } }, columns).join('\n')
  for (const columns of [200, 120, 80, 60]) expect(linesOf(390, columns)).toContain('procs: agents 3, own 0/390 ')
  expect(linesOf(123_456_789, 60)).toContain('procs: agents 3, own 0/12345… ')
})

test("the gauge's key works in every mode", () => {
  expect(table.rows.find(({ id }) => id === 'gauge')?.modes).toEqual(table.modes.map(({ mode }) => mode))
})

test('the gauge is shown below everything, over any other mode, and can be hidden', async () => {
  const fixture = await openFixture()
  await fixture.addTask('Draw the duck')
  const screen = openScreen(fixture, { columns: 200, rows: 20 })
  try {
    await screen.shows('Draw the duck')
    expect(screen.text()).not.toContain('key→frame')
    await screen.press('\u0007')
    await screen.shows(/key→frame: no key yet|key→frame p50/)
    await screen.press('2', '1', ':')
    await screen.shows(/key→frame p50 [\d.]+ p99 [\d.]+ ms +refresh p50 .* wrote .* db wait [\d.]+ ms.* procs: agents 0, own \d+\/\d+ +blocked/)
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
