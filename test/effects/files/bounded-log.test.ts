import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { boundLog } from '../../../src/effects/files/bounded-log.ts'
import { outputPath } from '../../../src/effects/files/paths.ts'
import { temporaryFolder } from '../../support/core.ts'
import { openSwarm } from '../swarm.ts'

const most = 100_000
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, n) => `line ${String(from + n).padStart(7, '0')}\n`).join('')
const marker = /^… (\d+) bytes \(.*\) are missing here: session\.logLimit is reached …$/m

describe('a log above its limit', () => {
  it('keeps whole lines of its head and its tail, and says how much is missing', () => {
    const path = join(temporaryFolder(), 'log')
    const whole = lines(0, 100_000)
    writeFileSync(path, whole)
    expect(boundLog(path, { most })).toBe(true)
    const text = readFileSync(path, 'utf8')
    expect(Buffer.byteLength(text)).toBeLessThan(most)
    const [sentence, missing] = marker.exec(text)!
    expect(text.replace(`${sentence}\n`, '').length + Number(missing)).toBe(whole.length)
    expect([text.startsWith('line 0000000\n'), text.endsWith('line 0099999\n')]).toEqual([true, true])
    expect(text.split('\n').every((line) => line === '' || line === sentence || /^line \d{7}$/.test(line))).toBe(true)
    expect(boundLog(path, { most })).toBe(false)
  })

  it('counts what was missing before, and does not change earlier runs', () => {
    const path = join(temporaryFolder(), 'log')
    const earlier = lines(0, 50_000)
    writeFileSync(path, earlier)
    let written = 0
    for (let round = 0; round < 5; round++) {
      const more = lines(round * 20_000, (round + 1) * 20_000)
      appendFileSync(path, more)
      written += more.length
      boundLog(path, { from: earlier.length, most })
    }
    const text = readFileSync(path, 'utf8')
    expect(text.startsWith(earlier)).toBe(true)
    const own = text.slice(earlier.length)
    const found = [...own.matchAll(new RegExp(marker, 'gm'))]
    expect(found).toHaveLength(1)
    expect(own.replace(`${found[0]![0]}\n`, '').length + Number(found[0]![1])).toBe(written)
  })

  it('is shortened at the end of its run at the latest, even without line ends', async () => {
    const swarm = await openSwarm({ config: 'session: {logLimit: 1MB}\n' })
    expect((await swarm.carryOut('head -c 30000000 /dev/zero; echo done')).status).toBe('completed')
    expect(statSync(outputPath(swarm.root, 'implementer-1')).size).toBeLessThan(1024 ** 2)
    expect(readFileSync(outputPath(swarm.root, 'implementer-1'), 'utf8')).toMatch(/are missing here[^]*\0done\n$/)
  })
})
