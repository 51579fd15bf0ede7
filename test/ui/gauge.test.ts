import { execFile } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { type Meter, makeMeter } from '../../src/ui/gauge/meter.ts'
import { gaugeHeight, gaugeLines, unmeasured } from '../../src/ui/gauge/state.ts'
import { keyRows } from '../../src/ui/keys.ts'
import { modes } from '../../src/ui/modes.ts'
import { openFixture } from './fixture.ts'
import { openScreen } from './screen.ts'

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
    await screen.shows(/key→frame p50 [\d.]+ p99 [\d.]+ ms +refresh p50 .* wrote .* db wait [\d.]+ ms.* 0 of agents, own \d+ of \d+ +held up/)
    await screen.shows('enter run')
    const lines = screen.text().split('\n')
    expect(lines.at(-2)).toContain('key→frame')
    screen.resize(60, 16)
    await screen.shows(/key→frame p50[^]*\n[^]*wrote[^]*\n[^]*of agents/)
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
