import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { figuresOfRun } from './agents.ts'
import { figuresOf, holds, lineOf, requirePrograms, shareOf } from './proof.ts'
import { readMutants, whyOutdated } from './mutants.ts'
import { proofs } from './proofs.ts'
import { reportWith } from './report.ts'

describe('npm run prove', () => {
  it('prints one line of figures for each proof', () => {
    expect(
      lineOf({
        name: 'corruption',
        figures: { counts: { seeds: 1500 }, violations: [] },
        failure: undefined,
        seconds: 41.4,
      }),
    ).toBe('corruption: 1,500 seeds, 0 violations, 41 s')
  })

  it('fails a proof that found a violation, and one that could not run', () => {
    const ran = { name: 'a', failure: undefined, seconds: 1 }
    expect(holds({ ...ran, figures: { counts: {}, violations: [] } })).toBe(true)
    expect(holds({ ...ran, figures: { counts: {}, violations: ['seed 3'] } })).toBe(false)
    expect(holds({ ...ran, figures: undefined, failure: 'this machine has no strace.' })).toBe(false)
    expect(figuresOf({ ...ran, figures: undefined, failure: 'this machine has no strace.' })).toBe(
      'FAILED after 1 s: this machine has no strace.',
    )
  })

  it('names the program that a machine lacks', () => {
    expect(() => requirePrograms('sh', 'no-such-program-here')).toThrow('this machine has no no-such-program-here.')
  })

  it('runs a tenth, a different one each day, and all of it within ten days', () => {
    const points = Array.from({ length: 25 }, (_, index) => index)
    const seen = Array.from({ length: 10 }, (_, day) => shareOf(10, day).some(points))
    expect(shareOf(10, 0).of(500)).toBe(50)
    expect(shareOf(10, 0).of(3)).toBe(1)
    expect(seen.flat().sort((a, b) => a - b)).toEqual(points)
    expect(shareOf(10, 9).some([1, 2])).toEqual([1])
  })

  it('refuses an unknown name', () => {
    const { status, stderr } = spawnSync(process.execPath, [resolve(import.meta.dirname, 'run.ts'), 'nothing'], {
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('There is no proof nothing. Choose from: ') as string,
    })
  })

  it('has mutants that match the current source', () => {
    const all = readMutants()
    expect(all.length).toBeGreaterThanOrEqual(50)
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    expect(
      all.flatMap((mutant) => (whyOutdated(mutant) === undefined ? [] : [`${mutant.id}: ${whyOutdated(mutant)!}`])),
    ).toEqual([])
    expect(whyOutdated({ ...all[0]!, text: 'not in there' })).toMatch(/^its text is found 0 times in src/)
  })

  it('counts a real CLI that could not be installed as a violation, with its reason', () => {
    const printed =
      'claude    edit          12 s  ✓ done\ncodex     edit           3 s  ✗ no answer came\n\nclaude    2.1.330    1 of 1 cases passed\nqwen      ✗ npm cannot reach the registry.\n'
    expect(figuresOfRun(printed)).toEqual({
      counts: { 'passed cases': 1 },
      violations: ['codex edit 3 s ✗ no answer came', 'qwen ✗ npm cannot reach the registry.'],
    })
  })

  it('keeps the figures of other proofs in its report', () => {
    const name = proofs[0]!.name
    const place = { date: '2026-01-30', machine: '2 cores', commit: 'abc' }
    const first = reportWith(
      '',
      [{ name, figures: { counts: { seeds: 5 }, violations: [] }, failure: undefined, seconds: 1 }],
      place,
    )
    expect(first).toContain(
      `- **${name}**: 5 seeds, 0 violations, 1 s. ${proofs[0]!.shows} (2026-01-30, commit abc; 2 cores)`,
    )
    expect(reportWith(first, [], { ...place, date: '2027-01-01' })).toBe(first)
  })
})
